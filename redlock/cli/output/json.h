/* SPDX-License-Identifier: MIT */
/* json.h - building a JSON object. */
#ifndef RDL_CLI_OUTPUT_JSON_H
#define RDL_CLI_OUTPUT_JSON_H

#include "redlock/cli/output/text.h"

/*
 * A JSON object, or a text line of the log, written member by member. Strings are escaped; commas and
 * brackets are added automatically. A member that does not fit is omitted as a whole, and the object has
 * "cut":true. So it can always be parsed, whatever the names and the servers' texts are.
 */
struct rdl_cli_json {
    struct rdl_cli_text text;
    char close[6];     /* the closing brackets of what is open, outermost first */
    unsigned depth;    /* their number */
    unsigned left_out; /* number of open brackets that did not fit */
    int is_text;       /* NAME=VALUE */
    int is_cut;
};

/* Begins an object. cap is at least 64. */
void rdl_cli_json_begin(struct rdl_cli_json *j, char *out, size_t cap);

/* Opens an object or an array; bracket is { or [. In an array names are NULL. */
void rdl_cli_json_open(struct rdl_cli_json *j, const char *name, char bracket);
void rdl_cli_json_close(struct rdl_cli_json *j);
void rdl_cli_json_string(struct rdl_cli_json *j, const char *name, const char *value);
void rdl_cli_json_number(struct rdl_cli_json *j, const char *name, int64_t value);
void rdl_cli_json_bool(struct rdl_cli_json *j, const char *name, int value);
void rdl_cli_json_null(struct rdl_cli_json *j, const char *name);

/* Closes all that is open. */
void rdl_cli_json_end(struct rdl_cli_json *j);

#endif
