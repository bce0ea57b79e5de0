# SPDX-License-Identifier: MIT
# net/net_op_extend.c: an extend that comes late shortens nothing where WATCH is allowed
s/RUNG_WATCH, RUNG_IFEQ, RUNG_NONE/RUNG_IFEQ, RUNG_WATCH, RUNG_NONE/
