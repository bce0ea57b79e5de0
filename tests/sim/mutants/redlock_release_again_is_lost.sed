# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a resent release that finds its key gone was done
s/r->action == RDL_RELEASE \? release_vote\(r, s, now_ms\) : //
