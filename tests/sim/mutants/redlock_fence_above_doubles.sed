# SPDX-License-Identifier: MIT
# redlock/redlock_fenced.c: R31: a fencing token that scripts cannot count further is no vote
s/    if \(RDL_IS_FENCE\(s->req.value\)\)/    if (1)/
