# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a canary is as old as its key, however long its request was in flight
s/RDL_COMMANDS\(rdl_wire_call_release\)/RDL_COMMANDS(rdl_wire_setnx)/
s/r->op == &make_by_clock \? len : RDL_RUN_DIGITS \+ 1/len/
