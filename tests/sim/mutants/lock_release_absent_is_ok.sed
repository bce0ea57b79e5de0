# SPDX-License-Identifier: MIT
# lock/lock.c: R14: a key that is gone without a release is reported as such
s/l->req\.is_again && now_ms < l->ended_ms/now_ms < l->ended_ms/
