/* SPDX-License-Identifier: MIT */
/*
 * resp_template.h - every command there is, as a template, and how it is written into whatever room there is.
 *
 * A template is the bytes of one command, line by line as they are sent, with placeholders in the place of
 * lines:
 *
 *     "*6\r\n$3\r\nSET\r\n$k$v$2\r\nNX\r\n$2\r\nPX\r\n$m"        SET name value NX PX ttl
 *
 *     $k   the arguments with the letter k, each as a bulk: its length and its bytes. Several locks in one
 *          are several arguments k
 *     *a   the beginning of a command of so many bulks as the argument a is long; its bytes are not looked at
 *
 * A capital is the letter of a secret: a trace leaves such a command out. One template, one reply. There is
 * no other way to send anything, and WIRE.md shows them all.
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

enum { RDL_DEC_MAX = 10 };
/* Write v in decimal, not terminated, and no byte more; returns the number of digits (1..RDL_DEC_MAX). */
size_t rdl_dec_u32(char out[RDL_DEC_MAX], uint32_t v);
/* That number of digits. */
size_t rdl_dec_len(uint32_t v);

/* ---------------------------------------------------------------- the writer */

struct rdl_slice {
    uint8_t *to;  /* where the next byte goes; may be NULL if room is 0 */
    size_t room;  /* how many may be written there */
    size_t skip;  /* how many of those to come were sent before */
    size_t total; /* all that was put: left out, written, or without room */
};

/* Empty. room 0: what is put is counted and nothing is written. */
/*@ requires \valid(w); assigns *w;
    ensures w->to == to && w->room == room && w->skip == skip && w->total == 0; */
inline void rdl_slice_init(struct rdl_slice *w, uint8_t *to, size_t room, size_t skip)
{
    w->to = to;
    w->room = room;
    w->skip = skip;
    w->total = 0;
}

/* What the letters of templates stand for; those a template does not name may be among them. */
struct rdl_args {
    const char *letters;         /* letters[i] is that of arg[i] */
    const struct rdl_bytes *arg; /* of at most RDL_BULK_MAX bytes each, any values; a number is its digits */
    size_t n;
};

/* Put one command. A letter that args does not have puts nothing: check_resp_template walks them all. */
void rdl_slice_write(struct rdl_slice *w, const char *text, const struct rdl_args *args);
/* Put several, NULL at the end. */
void rdl_slice_write_all(struct rdl_slice *w, const char *const *texts, const struct rdl_args *args);

/* One of its arguments is a secret. */
int rdl_template_is_secret(const char *text);

/* ---------------------------------------------------------------- the templates (WIRE.md: in words) */

/*
 * Their letters, all of them:
 *
 *     k  a lock's name, or another key     v  its value: a token         x  the value that is expected
 *     m  a ttl in ms                       b  the key beside the lock's: its fence, its list of hints
 *     c  EVAL or EVALSHA                   s  a script's text, or SHA1   y  how many keys   a  how many bulks
 *     f  the least fence number            h  how long the key beside is kept, in ms
 *     t  seconds to wait                   u  a user      P  his password     d  a database     n  our name
 *     g  where a search goes on: a cursor  p  the pattern of the names, or of settings
 *
 * Each is an object, so that a static link drops those that nobody names.
 */
extern const char rdl_wire_auth[], rdl_wire_auth_user[], rdl_wire_select[], rdl_wire_client_setname[];
extern const char rdl_wire_info_server[], rdl_wire_info_replication[], rdl_wire_info_memory[];
extern const char rdl_wire_info_persistence[], rdl_wire_config_get[], rdl_wire_scan[];
extern const char rdl_wire_set_nx_px[], rdl_wire_pttl[], rdl_wire_delex[], rdl_wire_delifeq[];
extern const char rdl_wire_watch[], rdl_wire_get[], rdl_wire_multi[], rdl_wire_exec[], rdl_wire_discard[];
extern const char rdl_wire_del[], rdl_wire_pexpire[], rdl_wire_set[], rdl_wire_getrange[], rdl_wire_strlen[];
extern const char rdl_wire_time[], rdl_wire_setnx[], rdl_wire_getset[], rdl_wire_blpop[];

/* Calls of the scripts, by text or by SHA1: two of them look alike where their arguments do. */
extern const char rdl_wire_call_release[]; /* rdl_script_canary, too */
extern const char rdl_wire_call_extend[], rdl_wire_call_replace[], rdl_wire_call_release_hint[];
extern const char rdl_wire_call_fenced[]; /* rdl_script_acquire, rdl_script_extend_fenced */
extern const char rdl_wire_call_multi[];  /* rdl_script_acquire_multi, rdl_script_extend_multi */
extern const char rdl_wire_call_release_multi[];

/* The arguments c and s: EVALSHA and the script's SHA1 where the server has it, else EVAL and its text. */
void rdl_script_call(const struct rdl_script *s, int is_known, struct rdl_bytes *c, struct rdl_bytes *text);

#ifdef __cplusplus
}
#endif

#endif
