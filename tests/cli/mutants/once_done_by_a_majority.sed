# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: R39: one server with the record is enough
# tests: cli_once/one_server_with_the_record_is_enough
s/if \(count\(has_record\) > 0\) \{/if (is_majority(count(has_record))) {/
