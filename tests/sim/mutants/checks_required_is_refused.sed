# SPDX-License-Identifier: MIT
# redlock/redlock.c: where the guard requires INFO no proxy refuses it
s/opt->guard <= RDL_GUARD_REQUIRED/0/
