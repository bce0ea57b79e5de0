# SPDX-License-Identifier: MIT
# lock/lock.c: R10: an adopted key's release is pending until the key expires
s/l->is_adopted = 1;/l->is_adopted = 0;/
