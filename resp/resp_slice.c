/* SPDX-License-Identifier: MIT */
/* resp_slice.c - writes a template's bytes, or the part that a slice has room for, in runs of bytes. */
#include "resp/resp_template.h"

#include "resp/resp_decimal_private.h"
#include "resp/resp_bytes.h"

enum { HEAD_MAX = 1 + RDL_DEC_MAX + 2 }; /* `$length CR LF` */

/* Of n bytes, those that were not sent before and have room are written. */
/*@ predicate is_slice{L}(struct rdl_slice *w) = \valid(w) && \valid(w->to + (0 .. w->room - 1)) &&
        \separated(w, w->to + (0 .. w->room - 1));
    logic integer skipped{L}(struct rdl_slice *w, integer n) = w->skip < n ? w->skip : n;
    logic integer written{L}(struct rdl_slice *w, integer n) =
        w->room < n - skipped(w, n) ? w->room : n - skipped(w, n);
    predicate goes_on{A, B}(struct rdl_slice *w, integer n) =
        \at(w->total, B) == \at(w->total, A) + n &&
        \at(w->skip, B) == \at(w->skip, A) - skipped{A}(w, n) &&
        \at(w->room, B) == \at(w->room, A) - written{A}(w, n) &&
        \at(w->to, B) == \at(w->to, A) + written{A}(w, n);
    logic integer bulk(integer len) = 1 + decimals(len) + 2 + len + 2;
*/

extern inline void rdl_slice_init(struct rdl_slice *w, uint8_t *to, size_t room, size_t skip);

/* WP assumes this contract for rdl_copy. */
/*@ requires \valid(to + (0 .. n - 1)) && \valid_read(from + (0 .. n - 1));
    requires \separated(to + (0 .. n - 1), from + (0 .. n - 1));
    assigns to[0 .. n - 1];
    ensures \result == to + n && \forall integer k; 0 <= k < n ==> to[k] == \old(from[k]); */
static uint8_t *copy(uint8_t *to, const uint8_t *from, size_t n)
{
    return rdl_copy(to, from, n);
}

/*@ requires is_slice(w) && \valid_read(from + (0 .. len - 1)) && w->total + len <= SIZE_MAX;
    requires \separated(w, w->to + (0 .. w->room - 1), from + (0 .. len - 1));
    assigns *w, w->to[0 .. w->room - 1];
    ensures slice: goes_on{Pre, Post}(w, len);
    ensures bytes: \forall integer k; 0 <= k < written{Pre}(w, len) ==>
        \old(w->to)[k] == from[\old(w->skip) + k];
    ensures rest: \forall integer k; written{Pre}(w, len) <= k < \old(w->room) ==>
        \old(w->to)[k] == \old(w->to[k]); */
static void write_bytes(struct rdl_slice *w, const uint8_t *from, size_t len)
{
    size_t skip = len < w->skip ? len : w->skip;
    size_t n = len - skip;

    w->total += len;
    w->skip -= skip;
    if (n > w->room)
        n = w->room;
    if (n == 0) /* the pointers may be NULL then */
        return;
    w->to = copy(w->to, from + skip, n);
    w->room -= n;
}

/* Writes `$n CR LF` or `*n CR LF`, and returns the number of bytes. */
/*@ requires n <= RDL_BULK_MAX && \valid(to + (0 .. HEAD_MAX - 1));
    assigns to[0 .. decimals(n) + 2];
    ensures \result == decimals(n) + 3; */
static size_t head(uint8_t *to, char type, size_t n)
{
    size_t len = 1 + rdl_dec_u32((char *)to + 1, (uint32_t)n);

    to[0] = (uint8_t)type;
    to[len] = '\r';
    to[len + 1] = '\n';
    return len + 2;
}

/* Writes a bulk string, or with '*' only its head. Nearly always it has room and is written at once. */
/*@ requires is_slice(w) && len <= RDL_BULK_MAX && (type == '$' || type == '*');
    requires type == '$' ==> \valid_read(from + (0 .. len - 1)) &&
        \separated(w, w->to + (0 .. w->room - 1), from + (0 .. len - 1));
    requires w->total + bulk(len) <= SIZE_MAX;
    assigns *w, w->to[0 .. w->room - 1];
    ensures bulk: type == '$' ==> goes_on{Pre, Post}(w, bulk(len));
    ensures head: type == '*' ==> goes_on{Pre, Post}(w, decimals(len) + 3); */
RDL_NOINLINE static void write_arg(struct rdl_slice *w, char type, const uint8_t *from, size_t len)
{
    uint8_t parts[HEAD_MAX];
    int is_whole = type == '$' && w->skip == 0 && w->room >= HEAD_MAX + len + 2;
    uint8_t *to = is_whole ? w->to : parts;
    size_t n = head(to, type, len);

    if (!is_whole) {
        write_bytes(w, parts, n);
        if (type == '*')
            return;
        write_bytes(w, from, len);
        write_bytes(w, parts + n - 2, 2);
        return;
    }
    to = copy(to + n, from, len);
    to[0] = '\r';
    to[1] = '\n';
    w->to = to + 2;
    n += len + 2;
    w->room -= n;
    w->total += n;
}

static void write_args(struct rdl_slice *w, const char *placeholder, const struct rdl_args *args)
{
    size_t i;

    for (i = 0; i < args->n; i++)
        if (args->letters[i] == placeholder[1]) {
            write_arg(w, placeholder[0], args->arg[i].data, args->arg[i].len);
            if (args->letters[i + 1] != placeholder[1])
                return;
        }
}

void rdl_slice_write(struct rdl_slice *w, const char *text, const struct rdl_args *args)
{
    const char *lines = text;

    for (;;) {
        /* Lines are sent as they are. A placeholder has a letter where those have a digit. */
        while (*text > '*' || (*text != '\0' && text[1] <= '9')) {
            text += 2; /* each line has a byte and CR before its LF, or more */
            while (*text++ != '\n') {
            }
        }
        if (text > lines)
            write_bytes(w, (const uint8_t *)lines, (size_t)(text - lines));
        if (*text == '\0')
            return;
        write_args(w, text, args);
        text += 2;
        lines = text;
    }
}

void rdl_slice_write_all(struct rdl_slice *w, const char *const *texts, const struct rdl_args *args)
{
    for (; *texts != NULL; texts++)
        rdl_slice_write(w, *texts, args);
}
