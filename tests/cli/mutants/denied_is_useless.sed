# SPDX-License-Identifier: MIT
# redlock/cli/servers/replies.c: a server where the lock is held has replied
# tests: cli_wait_limits/occasional_replies_keep_a_wait_alive
s/vote == RDL_VOTE_GRANTED \|\| vote == RDL_VOTE_DENIED/vote == RDL_VOTE_GRANTED/
