/* SPDX-License-Identifier: MIT */
/* resp_write.c - the bounded writer's beginnings: an empty buffer, a decimal number. */
#include "resp/resp.h"

static const uint32_t ten_to_the[RDL_DEC_MAX] = {1,      10,      100,      1000,      10000,
                                                 100000, 1000000, 10000000, 100000000, 1000000000};

void rdl_writer_init(struct rdl_writer *w, uint8_t *buf, size_t cap)
{
    w->buf = buf;
    w->cap = cap;
    w->len = 0;
    w->error = RDL_OK;
}

size_t rdl_dec_len(uint32_t v)
{
    size_t n = 1;

    while (n < RDL_DEC_MAX && v >= ten_to_the[n])
        n++;
    return n;
}

/* By subtraction: the smallest processors cannot divide, and our numbers have one to five digits. */
size_t rdl_dec_u32(char out[RDL_DEC_MAX], uint32_t v)
{
    size_t len = rdl_dec_len(v);
    size_t n = 0;
    size_t i;

    for (i = len - 1; i > 0; i--) {
        uint32_t digit = 0;

        while (v >= ten_to_the[i]) {
            v -= ten_to_the[i];
            digit++;
        }
        out[n] = (char)('0' + digit);
        n++;
    }
    out[n] = (char)('0' + v);
    return len;
}
