/* SPDX-License-Identifier: MIT */
/* trace.h - --trace: each byte that is sent and received. */
#ifndef RDL_CLI_OUTPUT_TRACE_H
#define RDL_CLI_OUTPUT_TRACE_H

#include "redlock/redlock.h"

enum { RDL_CLI_SECRET_MAX = 8192 }; /* most bytes of a password */

/*
 * Opens the file; "": standard error. The trace's time begins now. A FIFO may be opened by its reader until
 * until_ms. Returns 0, or an exit status after it printed the reason: CANTCREAT if other users can read the
 * file, which shows tokens; else OS.
 */
int rdl_cli_trace_open(const char *file, uint64_t until_ms);
/*
 * Writes bytes that were sent to a server ('>') or received from it ('<'), but not its password. data NULL:
 * they are secret, and only their number is written.
 */
void rdl_cli_trace_bytes(size_t server, struct rdl_bytes password, char dir, const uint8_t *data, size_t len);

#endif
