# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: when no reply is pending the reply timeout is set again
s,if \(rdl_queue_is_awaited\(c\) && c->reply_timeout_ms >= ,if (c->reply_timeout_ms >= ,
