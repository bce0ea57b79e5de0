# SPDX-License-Identifier: MIT
# redlock/cli/cli_report.c: a server where the lock is held has answered
# tests: cli_wait_limits/who_is_answered_now_and_then_goes_on_waiting
s/vote == RDL_VOTE_GRANTED \|\| vote == RDL_VOTE_DENIED/vote == RDL_VOTE_GRANTED/
