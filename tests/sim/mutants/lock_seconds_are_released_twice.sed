# SPDX-License-Identifier: MIT
# lock/lock.c: a value that others may have written, too, is released once
s/cmd\.value\.len <= RDL_DEC_MAX/cmd.value.len < 1/
