# SPDX-License-Identifier: MIT
# redlock/cli/servers/query_output.c: R27: a replica has no vote for the reading verbs either
# tests: cli_status/a_replica_has_no_vote_for_any_reading_verb
s/!rdl_cli_host_holds_locks\(h\) \|\| //
