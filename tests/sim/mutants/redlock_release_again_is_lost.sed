# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release that is sent again and finds itself done was a release
s/r->action == RDL_RELEASE \? release_vote\(r, s, now_ms\) : //
