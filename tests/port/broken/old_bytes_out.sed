# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 12: bytes that could not be sent are sent over the next connection
s/^enum \{ READS_MAX = .*$/&\
#include <string.h>\
static uint8_t old[4096];\
static size_t n_old;/
s/^        n = s->ops->send\(/        memcpy(old, s->buf, n_old = len);\
        n = s->ops->send(/
s/^            rdl_conn_opened\(c\);$/            s->ops->send(s->ctx, c, old, n_old), rdl_conn_opened(c);/
