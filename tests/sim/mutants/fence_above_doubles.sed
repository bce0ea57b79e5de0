# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: R31: a fencing token that scripts cannot count further is not valid
s/rc == RDL_OK && !RDL_IS_FENCE\(l->req.value\)/0/
