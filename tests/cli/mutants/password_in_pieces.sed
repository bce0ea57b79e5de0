# SPDX-License-Identifier: MIT
# redlock/cli/cli_trace.c: a password that comes in pieces is left out
# tests: cli_trace/a_password_is_left_out_though_it_comes_in_pieces
s/ \|\| i \+ 1 == len \? k : 0/ ? k : 0/
