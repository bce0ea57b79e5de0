# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: servers beyond the majority have one attempt
# tests: cli_once/the_slowest_server_may_say_done
s/while \(count\(is_late\) > 0 &&/while (0 \&\&/
