# SPDX-License-Identifier: MIT
# net/net_timers.c: where nothing is waited for, how long an answer may take is said anew
s,if \(c->head != c->tail && c->reply_timeout_ms >= ,if (c->reply_timeout_ms >= ,
