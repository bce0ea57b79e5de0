# SPDX-License-Identifier: MIT
# lock/lock_delete.c: where the PTTL is refused, 0 means that the key is gone
s/r->verdict = RDL_ANSWER_UNKNOWN/r->verdict = RDL_ANSWER_ABSENT/
