# SPDX-License-Identifier: MIT
# redlock/cli/verbs/hold.c: one look empties a pipe, so that the end of input is seen soon
# tests: cli_hold/the_end_of_endless_input_is_seen_before_a_renewal
s/nothing\[65536\]/nothing[512]/
