# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: when no reply is pending the reply timeout is set again
s,if \(c->head != c->tail && c->reply_timeout_ms >= ,if (c->reply_timeout_ms >= ,
