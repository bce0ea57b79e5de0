/* SPDX-License-Identifier: MIT */
/* log.h - the lines of --log. */
#ifndef RDL_CLI_OUTPUT_LOG_H
#define RDL_CLI_OUTPUT_LOG_H

#include "redlock/cli/output/json.h"

enum rdl_cli_log { RDL_CLI_LOG_NONE, RDL_CLI_LOG_TEXT, RDL_CLI_LOG_JSON };

/*
 * A line of the log: begin it, add its fields (rdl_cli_json_string, ...), put it. As text:
 * 2026-11-24T09:11:45.123Z acquired lock="nightly" id="8cf9df55" waited_ms=3 ...
 */
enum { RDL_CLI_LOG_MAX = 20480 };
void rdl_cli_log_open(int fd, enum rdl_cli_log how, const char *lock);

/* Sets the names of several locks, which the log also has as an array. Borrowed. */
void rdl_cli_log_several(const char *const *names, size_t n);

/* Returns its descriptor; -1: there is no log. */
int rdl_cli_log_fd(void);
int rdl_cli_log_is_json(void);
void rdl_cli_log_begin(struct rdl_cli_json *j, char *line, size_t cap, const char *event);

/* Ends the line without writing it. */
void rdl_cli_log_end(struct rdl_cli_json *j);

#endif
