# SPDX-License-Identifier: MIT
# lock/examples/firmware/conn_uart.c: rule 11: the line is used without an ECHO first
s/^    if \(!line\.is_asking .*/    line.heard_ms = clock_ms();\
    rdl_conn_opened(c);\
    if (line.heard_ms > 0)\
        return;\
&/
