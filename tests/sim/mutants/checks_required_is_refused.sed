# SPDX-License-Identifier: MIT
# redlock/redlock.c: R26: if the guard requires INFO, no proxy can refuse it
s/rdl_guard_requires_info\(opt->guard\) > 0/0/
