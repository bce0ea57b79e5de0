# SPDX-License-Identifier: MIT
# net/net_request.c: R7: a request that was sent is unknown, not undone
/^static void answer_without_reply/,/^}/s/if \(!was_sent/if (was_sent >= 0/
