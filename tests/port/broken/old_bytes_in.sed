# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 11: the bytes read last are passed on again after the next connect
s/^static int receive\(/static uint8_t old[READ_BYTES];\
static size_t n_old;\
static int receive(/
s/^        if \(n > 0\) \{$/        if (n > 0) {\
            memcpy(old, bytes, n_old = (size_t)n);/
s/^static void opened\(/static uint8_t old[];\
static size_t n_old;\
static void opened(/
s/^    rdl_conn_opened\(c\);$/    rdl_conn_opened(c);\
    rdl_conn_rx(c, old, n_old);/
s/^static uint8_t old\[\];$/static uint8_t old[READ_BYTES];/
