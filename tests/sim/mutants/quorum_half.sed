# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R24: a majority is N/2 + 1
s/^#include "redlock\/redlock_private.h"$/&\n#define rdl_redlock_quorum(r) (((r)->n + 1u) \/ 2u)/
