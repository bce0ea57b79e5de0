# SPDX-License-Identifier: MIT
# redlock/redlock.c: R26: if the guard requires INFO, no proxy can refuse it
s/opt->guard <= RDL_GUARD_REQUIRED/0/
