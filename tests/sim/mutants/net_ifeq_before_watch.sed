# SPDX-License-Identifier: MIT
# net/net_op_extend.c: SET IFEQ is the last way: an old one that comes late would shorten
s/RUNG_WATCH, RUNG_IFEQ, RUNG_NONE/RUNG_IFEQ, RUNG_WATCH, RUNG_NONE/
