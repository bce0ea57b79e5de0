# SPDX-License-Identifier: MIT
# redlock/cli/options/defaults.c: R24: inside a run the default server is refused
# tests: cli_servers/the_default_server_is_refused_inside_a_run
s/urls == NULL && getenv\("REDLOCK_LOCK"\) != NULL/0/
