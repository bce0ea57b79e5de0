# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: REQUIRED never counts a server that refuses INFO
s/switch \(\(enum rdl_guard\)guard\)/switch (guard == RDL_GUARD_REQUIRED ? RDL_GUARD_OFF : (enum rdl_guard)guard)/
