# SPDX-License-Identifier: MIT
# lock/examples/firmware/conn_uart.c: rule 11: every ECHO has the same text
s/^    unique_bytes\(unique\);/    unique_bytes(unique);\
    for (i = 0; i < sizeof unique; i++)\
        unique[i] = 7;/
