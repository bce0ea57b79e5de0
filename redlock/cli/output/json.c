/* SPDX-License-Identifier: MIT */
/* A line of JSON, or of the log as text, member by member: always complete, whatever it contains. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/json.h"
#include "redlock/cli/output/text.h"

#include <inttypes.h>
#include <string.h>

/* Returns the bytes that the end of the line needs: open brackets, ,"cut":true and a line end. */
static size_t end_len(const struct rdl_cli_json *j)
{
    return j->depth + sizeof ",\"cut\":true\n";
}

/* Keeps what was added after this length if the end of the line still fits; otherwise removes it. */
static int fits(struct rdl_cli_json *j, size_t before)
{
    if (j->text.len + end_len(j) < j->text.cap)
        return 1;
    j->text.len = before;
    j->text.out[before] = '\0';
    j->is_cut = 1;
    return 0;
}

static void add_name(struct rdl_cli_json *j, const char *name)
{
    char last = j->text.len > 0 ? j->text.out[j->text.len - 1] : '{';

    if (j->is_text) {
        rdl_cli_add(&j->text, " %s=", name);
        return;
    }
    if (last != '{' && last != '[')
        rdl_cli_add(&j->text, ",");
    if (name != NULL)
        rdl_cli_add(&j->text, "\"%s\":", name);
}

void rdl_cli_json_begin(struct rdl_cli_json *j, char *out, size_t cap)
{
    memset(j, 0, sizeof *j);
    j->text.out = out;
    j->text.cap = cap;
    rdl_cli_json_open(j, NULL, '{');
}

void rdl_cli_json_open(struct rdl_cli_json *j, const char *name, char bracket)
{
    size_t before = j->text.len;

    if (j->left_out > 0 || j->depth == sizeof j->close) {
        j->left_out++;
        j->is_cut = 1;
        return;
    }
    add_name(j, name);
    rdl_cli_add(&j->text, "%c", bracket);
    j->close[j->depth++] = bracket == '{' ? '}' : ']';
    if (!fits(j, before)) {
        j->depth--;
        j->left_out = 1;
    }
}

void rdl_cli_json_close(struct rdl_cli_json *j)
{
    if (j->left_out > 0)
        j->left_out--;
    else
        rdl_cli_add(&j->text, "%c", j->close[--j->depth]);
}

void rdl_cli_json_string(struct rdl_cli_json *j, const char *name, const char *value)
{
    size_t before = j->text.len;

    if (j->left_out > 0)
        return;
    add_name(j, name);
    rdl_cli_add_json(&j->text, value);
    fits(j, before);
}

/* Adds a number, or a word that is a value. */
static void add_plain(struct rdl_cli_json *j, const char *name, const char *value)
{
    size_t before = j->text.len;

    if (j->left_out > 0)
        return;
    add_name(j, name);
    rdl_cli_add(&j->text, "%s", value);
    fits(j, before);
}

void rdl_cli_json_number(struct rdl_cli_json *j, const char *name, int64_t value)
{
    char digits[24];
    struct rdl_cli_text t = {digits, sizeof digits, 0};

    rdl_cli_add(&t, "%" PRId64, value);
    add_plain(j, name, digits);
}

void rdl_cli_json_bool(struct rdl_cli_json *j, const char *name, int value)
{
    add_plain(j, name, value ? "true" : "false");
}

void rdl_cli_json_null(struct rdl_cli_json *j, const char *name)
{
    add_plain(j, name, "null");
}

void rdl_cli_json_end(struct rdl_cli_json *j)
{
    j->left_out = 0;
    while (j->depth > 1)
        rdl_cli_json_close(j);
    if (j->is_cut) {
        add_name(j, "cut");
        rdl_cli_add(&j->text, "true");
    }
    if (j->depth > 0)
        rdl_cli_json_close(j);
}
