# SPDX-License-Identifier: MIT
# lock/lock.c: what is adopted is owed its release for as long as it lives
s/l->is_adopted = 1;/l->is_adopted = 0;/
