# SPDX-License-Identifier: MIT
# redlock/cli/verbs/hold.c: endless input is read a few times a second
# tests: cli_hold/endless_input_is_read_a_few_times_a_second
s/!h->is_flowing && //
