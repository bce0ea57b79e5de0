# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R14: if PTTL is refused, 0 does not mean that the key is gone
s/r->verdict = RDL_ANSWER_UNKNOWN/r->verdict = RDL_ANSWER_ABSENT/
