# SPDX-License-Identifier: MIT
# net/net_queue.c: an owed release survives its connection
/^void rdl_queue_disconnected/,/^}/s/r.op == RDL_OP_RELEASE/r.op == 0/
