/* SPDX-License-Identifier: MIT */
/* resp_cmd_private.h - what the files that write commands share. */
#ifndef RDL_RESP_CMD_PRIVATE_H
#define RDL_RESP_CMD_PRIVATE_H

#include "resp/resp.h"

/* What contracts are written in: how many digits a number has, how many bytes n arguments are as bulks. */
/*@ logic integer decimals(integer v) = v < 10 ? 1 : v < 100 ? 2 : v < 1000 ? 3 : v < 10000 ? 4 :
        v < 100000 ? 5 : v < 1000000 ? 6 : v < 10000000 ? 7 : v < 100000000 ? 8 : v < 1000000000 ? 9 : 10;
    axiomatic Bulks {
        logic integer bulks{L}(struct rdl_bytes *a, integer n) reads a[0 .. n-1].len;
        axiom none{L}: \forall struct rdl_bytes *a; bulks(a, 0) == 0;
        axiom more{L}: \forall struct rdl_bytes *a; \forall integer n; n > 0 ==>
            bulks(a, n) == bulks(a, n - 1) + a[n - 1].len + decimals(a[n - 1].len) + 5;
    }
*/
/*@ assigns \nothing; ensures 1 <= \result <= RDL_DEC_MAX && \result == decimals(v); */
size_t rdl_dec_len(uint32_t v);

/* A command that is a constant beginning and then arguments. RDL_OK; RDL_E_SPACE: nothing was written. */
int rdl_write_command(struct rdl_writer *w, const char *head, size_t head_len, const struct rdl_bytes *argv,
                      size_t argc);

#endif
