/* SPDX-License-Identifier: MIT */
/* server_info.h - more server info than the restart guard reads. */
#ifndef RDL_CLI_SERVERS_SERVER_INFO_H
#define RDL_CLI_SERVERS_SERVER_INFO_H

#include "redlock/cli/servers/connections.h"

/* A line of INFO, or its beginning. Zero it before the first byte. */
struct rdl_cli_info_line {
    char text[96];
    size_t len;
};

/* Adds a byte. Returns 1 at the end of the line: text is then the line, and the next byte begins another. */
int rdl_cli_info_add(struct rdl_cli_info_line *line, uint8_t byte);

/* Reads more of the replies to the guard's requests. Call it after the guard's set-up. Borrows s. */
void rdl_cli_info_watch(struct rdl_cli_servers *s);
int rdl_cli_info_is_sentinel(size_t i);
extern const char rdl_cli_sentinel[]; /* the message about a Sentinel */

/* Returns 1, with how far the server's clock is ahead of this host's. Old servers do not report it. */
int rdl_cli_info_ahead(size_t i, int64_t *ahead_ms);

/* Does the same with a line of INFO that was just read. Returns 0 if it is another line. */
int rdl_cli_info_clock(const char *line, int64_t *ahead_ms);

#endif
