# SPDX-License-Identifier: MIT
# net/net_queue.c: a request that was sent is unknown, not undone
/^void rdl_req_disconnected/,/^}/s/if \(!was_sent/if (was_sent >= 0/
