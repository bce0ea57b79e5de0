# SPDX-License-Identifier: MIT
# redlock/cli/output/trace.c: R37: a password that arrives in pieces is redacted
# tests: cli_trace/a_password_split_over_reads_is_redacted
s/ \|\| i \+ 1 == len \? k : 0/ ? k : 0/
