# SPDX-License-Identifier: MIT
# redlock/cli/child/descendants.c: R36: a /proc of another PID namespace is not used
# tests: cli_strays/processes_in_a_foreign_proc_get_no_signal
s/if \(is_proc_ours\(\)\) \{/if (1) {/
