# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R14: a resent release that finds the next holder's value does not take it for a waiter's
s/may_be_second \|\| now_ms >= l->lock.use.ended_ms/now_ms >= l->lock.use.ended_ms/
