# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: an error to INFO that passes lifts no guard
s/return code == RDL_E_UNSUPPORTED \|\|/return code == RDL_E_SCRIPTING || code == RDL_E_UNSUPPORTED ||/
