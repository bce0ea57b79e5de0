# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release that is sent again and finds itself done was a release
s/is_own_doing\(r, s, now_ms\) \? RDL_VOTE_GRANTED : //
