# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: when no reply is pending the reply timeout is set again
s,if \(!rdl_queue_is_awaited\(c\)\) \{,if (!rdl_queue_is_awaited(c) \&\& c->signed_timeout_ms < (int32_t)answer_ms) {,
