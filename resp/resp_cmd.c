/* SPDX-License-Identifier: MIT */
/*
 * resp_cmd.c - every command we ever send; WIRE.md shows the bytes.
 *
 * A command is a list of parts. Its exact length is known before its first byte is written, so a command
 * that does not fit leaves the buffer as it was, and both passes read the same list.
 */
#include "resp/resp.h"

#include <string.h>

enum part_kind {
    RAW,  /* the bytes as they are */
    BULK, /* $len, the bytes, CR LF */
    COUNT /* *len: how many bulks the command has; no bytes */
};

struct part {
    const void *data;
    size_t len;
    enum part_kind kind;
};

#define LITERAL(text) {(text), sizeof(text) - 1, RAW}
#define ARGUMENT(bytes) {(bytes).data, (bytes).len, BULK}
#define PARTS(list) (list), sizeof(list) / sizeof((list)[0])

/* The texts are written without needless blanks: EVAL sends them whole. */
#define RELEASE \
    "local v=redis.call('GET',KEYS[1])" \
    "if v==ARGV[1]then return redis.call('DEL',KEYS[1])end " \
    "return v and 0 or-1"
#define EXTEND \
    "local v=redis.call('GET',KEYS[1])" \
    "if v~=ARGV[1]then return v and 0 or-1 end " \
    "if redis.call('PTTL',KEYS[1])<tonumber(ARGV[2])then redis.call('PEXPIRE',KEYS[1],ARGV[2])end " \
    "return 1"

const struct rdl_script rdl_script_release = {RELEASE, sizeof(RELEASE) - 1, 1, 1,
                                              "405ff44962cd47e5aa852fc40f9e4817c685a7e4"};
const struct rdl_script rdl_script_extend = {EXTEND, sizeof(EXTEND) - 1, 1, 2,
                                             "08268618273684dd4965e354b804771b81d04031"};

/* Take the part's bytes off the room that is left; 0 when they do not fit. */
static int reserve(size_t *room, const struct part *part)
{
    size_t n = part->len;

    if (n > RDL_BULK_MAX)
        return 0;
    if (part->kind != RAW)
        n = rdl_dec_len((uint32_t)part->len) + (part->kind == BULK ? n + 5 : 3);
    if (n > *room)
        return 0;
    *room -= n;
    return 1;
}

static uint8_t *put(uint8_t *to, const void *data, size_t len)
{
    if (len > 0) /* data may be NULL then */
        memcpy(to, data, len);
    return to + len;
}

static uint8_t *put_end(uint8_t *to)
{
    to[0] = '\r';
    to[1] = '\n';
    return to + 2;
}

static uint8_t *put_part(uint8_t *to, const struct part *part)
{
    if (part->kind == RAW)
        return put(to, part->data, part->len);
    *to = part->kind == BULK ? '$' : '*';
    to = put_end(to + 1 + rdl_dec_u32((char *)to + 1, (uint32_t)part->len));
    if (part->kind == COUNT)
        return to;
    return put_end(put(to, part->data, part->len));
}

/* The one way into the buffer: the parts, then argv as bulks; all of it or nothing. */
static int command(struct rdl_writer *w, const struct part *parts, size_t parts_len,
                   const struct rdl_bytes *argv, size_t argc)
{
    size_t room = w->cap - w->len;
    uint8_t *to = w->buf + w->len;
    int fits = w->error == RDL_OK;
    size_t i;

    for (i = 0; fits && i < parts_len; i++)
        fits = reserve(&room, &parts[i]);
    for (i = 0; fits && i < argc; i++)
        fits = reserve(&room, &(struct part)ARGUMENT(argv[i]));
    if (!fits) {
        w->error = RDL_E_SPACE;
        return RDL_E_SPACE;
    }
    for (i = 0; i < parts_len; i++)
        to = put_part(to, &parts[i]);
    for (i = 0; i < argc; i++)
        to = put_part(to, &(struct part)ARGUMENT(argv[i]));
    w->len = w->cap - room;
    return RDL_OK;
}

int rdl_cmd_auth(struct rdl_writer *w, struct rdl_bytes user, struct rdl_bytes password)
{
    const struct part with_user[] = {LITERAL("*3\r\n$4\r\nAUTH\r\n"), ARGUMENT(user), ARGUMENT(password)};
    const struct part without[] = {LITERAL("*2\r\n$4\r\nAUTH\r\n"), ARGUMENT(password)};

    if (user.len > 0)
        return command(w, PARTS(with_user), NULL, 0);
    return command(w, PARTS(without), NULL, 0);
}

int rdl_cmd_select(struct rdl_writer *w, uint32_t db)
{
    char digits[RDL_DEC_MAX];
    const struct part parts[] = {LITERAL("*2\r\n$6\r\nSELECT\r\n"), {digits, rdl_dec_u32(digits, db), BULK}};

    return command(w, PARTS(parts), NULL, 0);
}

int rdl_cmd_client_setname(struct rdl_writer *w, struct rdl_bytes name)
{
    const struct part parts[] = {LITERAL("*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n"), ARGUMENT(name)};

    return command(w, PARTS(parts), NULL, 0);
}

int rdl_cmd_set_nx_px(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes token, uint32_t ttl_ms)
{
    char digits[RDL_DEC_MAX];
    const struct part parts[] = {LITERAL("*6\r\n$3\r\nSET\r\n"), ARGUMENT(key), ARGUMENT(token),
                                 LITERAL("$2\r\nNX\r\n$2\r\nPX\r\n"),
                                 {digits, rdl_dec_u32(digits, ttl_ms), BULK}};

    return command(w, PARTS(parts), NULL, 0);
}

int rdl_cmd_pttl(struct rdl_writer *w, struct rdl_bytes key)
{
    const struct part parts[] = {LITERAL("*2\r\n$4\r\nPTTL\r\n"), ARGUMENT(key)};

    return command(w, PARTS(parts), NULL, 0);
}

/* How many bulks a call of the script has: the command, the script, the number of keys, the arguments. */
static size_t call_len(const struct rdl_script *s)
{
    return (size_t)3 + s->keys + s->args;
}

int rdl_cmd_evalsha(struct rdl_writer *w, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    char digits[RDL_DEC_MAX];
    const struct part parts[] = {{NULL, call_len(s), COUNT},
                                 LITERAL("$7\r\nEVALSHA\r\n"),
                                 {s->sha, sizeof(s->sha) - 1, BULK},
                                 {digits, rdl_dec_u32(digits, s->keys), BULK}};

    return command(w, PARTS(parts), argv, (size_t)s->keys + s->args);
}

int rdl_cmd_eval_head(struct rdl_writer *w, const struct rdl_script *s)
{
    char digits[RDL_DEC_MAX];
    const struct part parts[] = {{NULL, call_len(s), COUNT},
                                 LITERAL("$4\r\nEVAL\r\n$"),
                                 {digits, rdl_dec_u32(digits, s->text_len), RAW},
                                 LITERAL("\r\n")};

    return command(w, PARTS(parts), NULL, 0);
}

int rdl_cmd_eval_tail(struct rdl_writer *w, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    char digits[RDL_DEC_MAX];
    const struct part parts[] = {LITERAL("\r\n"), {digits, rdl_dec_u32(digits, s->keys), BULK}};

    return command(w, PARTS(parts), argv, (size_t)s->keys + s->args);
}
