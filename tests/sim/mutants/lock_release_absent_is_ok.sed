# SPDX-License-Identifier: MIT
# lock/lock.c: what is gone without having been released is told as such
s/l->req\.is_again && now_ms < l->ended_ms/now_ms < l->ended_ms/
