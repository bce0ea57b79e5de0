/* SPDX-License-Identifier: MIT */
/* resp_cmd_private.h - what the files that write commands share. */
#ifndef RDL_RESP_CMD_PRIVATE_H
#define RDL_RESP_CMD_PRIVATE_H

#include "resp/resp.h"

/* A command that is a constant beginning and then arguments. RDL_OK; RDL_E_SPACE: nothing was written. */
int rdl_write_command(struct rdl_writer *w, const char *head, size_t head_len, const struct rdl_bytes *argv,
                      size_t argc);

#endif
