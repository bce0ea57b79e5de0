/* SPDX-License-Identifier: MIT */
/* connect_program.h - the text of --connect-command as a program and its arguments. */
#ifndef RDL_CLI_OPTIONS_CONNECT_PROGRAM_H
#define RDL_CLI_OPTIONS_CONNECT_PROGRAM_H

#include <stddef.h>

enum { RDL_CLI_WORDS_MAX = 100, RDL_CLI_PROGRAM_MAX = 4096 };

/* The program that is run for a connection. */
struct rdl_cli_program {
    char *argv[RDL_CLI_WORDS_MAX + 1]; /* in text, with NULL after the last */
    char text[RDL_CLI_PROGRAM_MAX];
    size_t len;
    int is_shell; /* argv is /bin/sh -c text */
};

/* Makes it from --connect-command. Returns why it cannot be used, or NULL if it can. p points into itself. */
const char *rdl_cli_program_make(struct rdl_cli_program *p, const char *text, const char *host,
                                 unsigned port);

/* Returns its name for people, such as "openssl". */
const char *rdl_cli_program_name(const struct rdl_cli_program *p);

#endif
