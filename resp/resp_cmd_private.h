/* SPDX-License-Identifier: MIT */
/* resp_cmd_private.h - what the files that write commands share. */
#ifndef RDL_RESP_CMD_PRIVATE_H
#define RDL_RESP_CMD_PRIVATE_H

#include "resp/resp_write_private.h"

/* What contracts are written in: how many bytes n arguments are as bulks. */
/*@ axiomatic Bulks {
        logic integer bulks{L}(struct rdl_bytes *a, integer n) reads a[0 .. n-1].len;
        axiom none{L}: \forall struct rdl_bytes *a; bulks(a, 0) == 0;
        axiom more{L}: \forall struct rdl_bytes *a; \forall integer n; n > 0 ==>
            bulks(a, n) == bulks(a, n - 1) + a[n - 1].len + decimals(a[n - 1].len) + 5;
    }
*/

/* A command that is a constant beginning and then arguments. RDL_OK; RDL_E_SPACE: nothing was written. */
int rdl_write_command(struct rdl_writer *w, const char *head, size_t head_len, const struct rdl_bytes *argv,
                      size_t argc);

#endif
