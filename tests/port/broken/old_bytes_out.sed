# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 12: bytes that could not be sent are sent over the next connection
s/^static void opened\(/static uint8_t old[SEND_BYTES];\
static size_t n_old;\
static void opened(/
s/^    rdl_conn_opened\(c\);$/    (void)!send(c->fd, old, n_old, MSG_NOSIGNAL);\
    rdl_conn_opened(c);/
s/^        n = send\(/        memcpy(old, buf, n_old = len);\
        n = send(/
