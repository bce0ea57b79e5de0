# SPDX-License-Identifier: MIT
# redlock/cli/servers/query.c: R27: a cluster node has no vote for the reading verbs either
# tests: cli_status/a_cluster_node_has_no_vote_for_any_reading_verb
s/!h->is_cluster && !h->is_sentinel/!h->is_sentinel/
