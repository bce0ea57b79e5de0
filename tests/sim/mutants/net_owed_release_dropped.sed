# SPDX-License-Identifier: MIT
# net/net_queue.c: an owed release survives its connection
/^void rdl_queue_disconnected/,/^}/s/if \(r->op->is_owed == OWED_ALWAYS\)/if (r->op == NULL)/
