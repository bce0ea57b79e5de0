# SPDX-License-Identifier: MIT
# lock/lock.c: R14: a resent release that finds no key may have met a restart that lost it
s/ \|\| is_inconclusive\(l, now_ms\)//
s/return answer == RDL_ANSWER_ABSENT \?/return is_inconclusive(l, now_ms) ? RDL_OK : answer == RDL_ANSWER_ABSENT ?/
