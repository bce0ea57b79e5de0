# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 11: the bytes read last are passed on again after the next connect
s/^enum \{ READS_MAX = .*$/&\
#include <string.h>\
static uint8_t old[4096];\
static size_t n_old;/
s/^        rdl_conn_rx\(c, s->buf, \(size_t\)n\);$/        memcpy(old, s->buf, n_old = (size_t)n), rdl_conn_rx(c, s->buf, n_old);/
s/^            rdl_conn_opened\(c\);$/            rdl_conn_opened(c), rdl_conn_rx(c, old, n_old);/
