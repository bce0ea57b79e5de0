# SPDX-License-Identifier: MIT
# lock/lock.c: R8: the extend that adopts a lock returns RDL_ADOPTED
s/return is_adopted \? RDL_ADOPTED : RDL_OK;/return RDL_OK;/
