# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: a number that scripts cannot count further is none
s/rc == RDL_OK && !RDL_IS_FENCE\(l->req.value\)/0/
