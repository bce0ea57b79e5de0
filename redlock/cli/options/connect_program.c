/* SPDX-License-Identifier: MIT */
/*
 * connect_program.c - makes a program from the text of --connect-command: words, split as a shell would split
 * them. If the text has anything that only a shell understands, a shell runs it.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/connect_program.h"

#include <stdio.h>
#include <string.h>

/* The text that is read, and what it is for. */
struct source {
    const char *at;
    const char *host;
    char port[8];
    const char *why; /* why it cannot be used; NULL: it can */
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Returns 1 if the text needs a shell. Quotes, backslashes and the brackets of an IPv6 address do not. */
static int needs_shell(const char *text)
{
    char quote = '\0';

    for (const char *p = text; *p != '\0'; p++) {
        int is_special = strchr(quote == '"' ? "$`" : "|&;<>()$`*?#~!{}\n", *p) != NULL;
        if (quote != '\'' && *p == '\\' && p[1] != '\0')
            p++;
        else if (quote != '\'' && is_special)
            return 1;
        else if (*p == quote)
            quote = '\0';
        else if (quote == '\0' && (*p == '\'' || *p == '"'))
            quote = *p;
    }
    size_t first = strcspn(text + strspn(text, " \t"), " \t="); /* VARIABLE=value openssl ... */
    return text[strspn(text, " \t") + first] == '=';
}

/* ---------------------------------------------------------------- bytes */

static void put(struct rdl_cli_program *p, struct source *in, const char *text, size_t len)
{
    if (len >= sizeof p->text - p->len) {
        in->why = "it is too long";
        return;
    }
    memcpy(p->text + p->len, text, len);
    p->len += len;
    p->text[p->len] = '\0';
}

/* Adds the next byte, or the text for %h and %p. */
static void put_next(struct rdl_cli_program *p, struct source *in)
{
    char what = in->at[0] == '%' ? in->at[1] : '\0';

    if (in->at[0] != '%')
        put(p, in, in->at, 1);
    else if (what == 'h')
        put(p, in, in->host, strlen(in->host));
    else if (what == 'p')
        put(p, in, in->port, strlen(in->port));
    else if (what == '%')
        put(p, in, "%", 1);
    else
        in->why = "% must be followed by h (the host), p (the port) or another %";
    in->at += what != '\0' ? 2 : 1;
}

/* ---------------------------------------------------------------- words */

/* Adds a quoted text. `at` moves from its first quote to the byte after its last one. */
static void put_quoted(struct rdl_cli_program *p, struct source *in)
{
    char quote = *in->at++;

    while (*in->at != quote && *in->at != '\0' && in->why == NULL) {
        if (quote == '"' && in->at[0] == '\\' && (in->at[1] == '"' || in->at[1] == '\\')) {
            put(p, in, in->at + 1, 1);
            in->at += 2;
        } else {
            put_next(p, in);
        }
    }
    if (*in->at == '\0')
        in->why = "a quote is not closed";
    else
        in->at++;
}

static void put_word(struct rdl_cli_program *p, struct source *in)
{
    while (*in->at != '\0' && !is_blank(*in->at) && in->why == NULL) {
        if (*in->at == '\'' || *in->at == '"') {
            put_quoted(p, in);
        } else if (*in->at == '\\' && in->at[1] == '\0') {
            in->why = "it ends with a backslash";
        } else if (*in->at == '\\') {
            put(p, in, in->at + 1, 1);
            in->at += 2;
        } else {
            put_next(p, in);
        }
    }
    put(p, in, "", 1);
}

static void split(struct rdl_cli_program *p, struct source *in)
{
    size_t n = 0;

    for (;;) {
        in->at += strspn(in->at, " \t");
        if (*in->at == '\0' || in->why != NULL)
            break;
        if (n == RDL_CLI_WORDS_MAX) {
            in->why = "it has too many words";
            break;
        }
        p->argv[n++] = p->text + p->len;
        put_word(p, in);
    }
    p->argv[n] = NULL;
    if (n == 0)
        in->why = "it is empty";
}

static void leave_to_shell(struct rdl_cli_program *p, struct source *in)
{
    static char sh[] = "/bin/sh", c[] = "-c";

    while (*in->at != '\0' && in->why == NULL)
        put_next(p, in);
    p->argv[0] = sh;
    p->argv[1] = c;
    p->argv[2] = p->text;
    p->argv[3] = NULL;
}

const char *rdl_cli_program_make(struct rdl_cli_program *p, const char *text, const char *host, unsigned port)
{
    struct source in = {text, host, "", NULL};

    snprintf(in.port, sizeof in.port, "%u", port);
    p->len = 0;
    p->text[0] = '\0';
    p->is_shell = needs_shell(text);
    if (p->is_shell)
        leave_to_shell(p, &in);
    else
        split(p, &in);
    return in.why;
}

const char *rdl_cli_program_name(const struct rdl_cli_program *p)
{
    const char *slash = strrchr(p->argv[0], '/');

    return slash != NULL ? slash + 1 : p->argv[0];
}
