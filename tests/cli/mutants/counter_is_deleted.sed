# SPDX-License-Identifier: MIT
# redlock/cli/servers/lock_names.c: no verb advises to delete a fencing counter
# tests: cli_advice/no_verb_advises_to_delete_a_fencing_counter
s/return ends_in\(name, ":fence"\);/return 0;/
