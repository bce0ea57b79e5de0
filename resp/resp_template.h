/* SPDX-License-Identifier: MIT */
/*
 * resp_template.h - commands as templates, and the writer that puts them into the available room.
 *
 * A template is the bytes of one command, line by line as they are sent. A $ or * that a letter follows is a
 * placeholder:
 *
 *     "*6\r\n$3\r\nSET\r\n$k$v$2\r\nNX\r\n$2\r\nPX\r\n$m"        SET name value NX PX ttl
 *
 *     $k   the arguments with the letter k, each as a bulk string: its length and its bytes. Several locks
 *          as one are several arguments k
 *     *a   the start of a command; its number of bulk strings is the length of the argument a, whose bytes
 *          are not read
 *
 * A capital letter is a secret: only AUTH has one. Of it and its reply, a trace reports only the length. Each
 * template has one reply. Each layer defines the commands that it sends (net/net_commands.h and so on). The
 * library sends nothing else, and resp/WIRE.md shows all templates.
 *
 * No command has to fit into a buffer. The sender has a chunk of any size (one byte is enough) and knows how
 * much it sent before. Each time, everything due is written into the slice from the start. The slice skips
 * the bytes that were sent before, and only counts those that have no room. However the chunks are cut,
 * together they are the same bytes, if each call writes the same. So the arguments of a command must not
 * change until all of it is sent.
 */
#ifndef RDL_RESP_TEMPLATE_H
#define RDL_RESP_TEMPLATE_H

#include "resp/resp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RDL_DEC_MAX = 10 };
/* Writes v in decimal, without a NUL. Writes only the digits, and returns their number, 1 to RDL_DEC_MAX. */
size_t rdl_dec_u32(char out[RDL_DEC_MAX], uint32_t v);

/* ---------------------------------------------------------------- the writer */

struct rdl_slice {
    uint8_t *to;  /* the place of the next byte; may be NULL if room is 0 */
    size_t room;  /* bytes that may be written there */
    size_t skip;  /* bytes to skip, because they were sent before */
    size_t total; /* bytes so far: skipped, written, or without room */
};

/* Sets up an empty slice. With room 0 it counts bytes and writes none. */
/*@ requires \valid(w); assigns *w;
    ensures w->to == to && w->room == room && w->skip == skip && w->total == 0; */
inline void rdl_slice_init(struct rdl_slice *w, uint8_t *to, size_t room, size_t skip)
{
    w->to = to;
    w->room = room;
    w->skip = skip;
    w->total = 0;
}

/* The arguments for the letters of templates. It may have letters that a template does not use. */
struct rdl_args {
    const char *letters;         /* letters[i] is that of arg[i]; equal ones are adjacent; then a NUL */
    const struct rdl_bytes *arg; /* at most RDL_BULK_MAX bytes each, any values; a number as digits */
    size_t n;
};

/* Writes one command. A letter without an argument writes nothing. */
void rdl_slice_write(struct rdl_slice *w, const char *text, const struct rdl_args *args);
/* Writes several commands; texts ends with NULL. */
void rdl_slice_write_all(struct rdl_slice *w, const char *const *texts, const struct rdl_args *args);

#ifdef __cplusplus
}
#endif

#endif
