# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R14: a resent release that finds the next holder's value does not take it for a waiter's
s/is_again \|\| now_ms >= l->lock.ended_ms/now_ms >= l->lock.ended_ms/
