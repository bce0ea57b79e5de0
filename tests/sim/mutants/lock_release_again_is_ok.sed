# SPDX-License-Identifier: MIT
# lock/lock.c: a release that is sent again and finds nothing may have been a restart that lost the key
s/ \|\| is_untold\(l, now_ms\)//
s/return answer == RDL_ANSWER_ABSENT \?/return is_untold(l, now_ms) ? RDL_OK : answer == RDL_ANSWER_ABSENT ?/
