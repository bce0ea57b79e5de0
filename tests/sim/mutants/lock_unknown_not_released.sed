# SPDX-License-Identifier: MIT
# lock/lock.c: a release stands behind every UNKNOWN
/case RDL_ANSWER_UNKNOWN:/,/return RDL_UNKNOWN/s/^        submit\(l, RDL_OP_RELEASE, NULL\);$/        ;/
