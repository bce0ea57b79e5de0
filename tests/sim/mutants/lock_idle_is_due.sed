# SPDX-License-Identifier: MIT
# lock/lock.c: R22: a lock without an operation has nothing due
/l->name_len = .*name_len > RDL_NAME_MAX/{n;s/UINT64_MAX/0/;}
