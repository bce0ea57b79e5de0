# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a temporary error reply to INFO lifts no guard
s/return code == RDL_E_UNSUPPORTED \|\|/return code == RDL_E_TRY_LATER || code == RDL_E_UNSUPPORTED ||/
