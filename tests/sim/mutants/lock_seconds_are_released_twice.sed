# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R13: a value that other clients may also have written is released once
s/cmd->value\.len <= RDL_DEC_MAX/cmd->value.len < 1/
