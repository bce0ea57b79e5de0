# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 1: it reports opened while it still connects
/^static int start\(/,/^}/s/^        return RDL_STREAM_WAIT_WRITE;$/        return RDL_STREAM_READY;/
