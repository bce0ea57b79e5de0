# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: a release that is sent again and finds the next holder's value takes it for no waiter's
s/is_again \|\| now_ms >= l->lock.ended_ms/now_ms >= l->lock.ended_ms/
