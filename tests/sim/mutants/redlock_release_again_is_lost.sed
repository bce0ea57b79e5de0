# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R14: a resent release that finds its key gone was done
s/r->action == RDL_RELEASE \? release_vote\(r, s, now_ms\) : //
