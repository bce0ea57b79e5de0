# SPDX-License-Identifier: MIT
# lock/lock.c: R14: a key that is gone without a release is reported as such
s/l->req\.may_be_second && now_ms < l->use.ended_ms/now_ms < l->use.ended_ms/
