# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R31: a fencing token that scripts cannot count further is no vote
s/        !RDL_IS_FENCE\(s->req.value\)\)/        0)/
