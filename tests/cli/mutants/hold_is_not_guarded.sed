# SPDX-License-Identifier: MIT
# redlock/cli/verbs/hold.c: R36: a stopped hold is killed before its lease ends
# tests: cli_hold/a_stopped_hold_ends_before_another_client_works
s/getpid\(\), until_ms\) != 0/0, 0) != 0/
