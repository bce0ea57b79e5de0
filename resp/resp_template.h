/* SPDX-License-Identifier: MIT */
/*
 * resp_template.h - commands as templates, and how they are written into whatever room there is.
 *
 * A template is the bytes of one command, line by line as they are sent, with holes in the place of lines:
 *
 *     "*6\r\n$3\r\nSET\r\n$k$v$2\r\nNX\r\n$2\r\nPX\r\n$m"        SET name value NX PX ttl
 *
 *     $k   the arguments with the letter k, each as a bulk: its length and its bytes. Several locks in one
 *          are several arguments k
 *     *a   the beginning of a command of so many bulks as the argument a is long; its bytes are not looked at
 *
 * A capital is the letter of a secret: a trace leaves such a command out. One template, one reply.
 *
 * No command has to fit a buffer: the sender has a chunk of any size, one byte is enough, and knows how much
 * went out before. Each time all that is due is put into the window from its beginning; what went out before
 * is left out, and what has no room is counted only. However the chunks are cut they join to the same bytes,
 * if the same is put each time: until a command is out its arguments stay as they are.
 */
#ifndef RDL_RESP_TEMPLATE_H
#define RDL_RESP_TEMPLATE_H

#include "resp/resp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the writer */

struct rdl_window {
    uint8_t *to;  /* where the next byte goes; may be NULL if room is 0 */
    size_t room;  /* how many may be written there */
    size_t skip;  /* how many of those to come were sent before; SIZE_MAX: they are counted, not written */
    size_t total; /* all that was put: left out, written, or without room */
};

/* What the letters of templates stand for; those a template does not name may be among them. */
struct rdl_args {
    const char *letters;         /* letters[i] is that of arg[i] */
    const struct rdl_bytes *arg; /* of at most RDL_BULK_MAX bytes each, any values; a number is its digits */
    size_t n;
};

/* Put one command. A letter that args does not have puts nothing. */
void rdl_window_command(struct rdl_window *w, const char *text, const struct rdl_args *args);

/* One of its arguments is a secret. */
int rdl_template_is_secret(const char *text);

#ifdef __cplusplus
}
#endif

#endif
