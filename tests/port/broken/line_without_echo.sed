# SPDX-License-Identifier: MIT
# lock/examples/firmware/conn_uart.c: rule 11: the line is used without an ECHO first
s/^    if \(line\.matched == 0 .*/    line.heard_ms = clock_ms();\
    if (line.heard_ms > 0)\
        return RDL_STREAM_READY;\
&/
