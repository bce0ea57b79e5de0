/* SPDX-License-Identifier: MIT */
/*
 * resp_cmd.c - every command we ever send; WIRE.md shows the bytes.
 *
 * Each command claims its exact length before it writes its first byte, so one that does not fit leaves
 * the buffer as it was. Then it puts literals and arguments in the order of the wire.
 */
#include "resp/resp_cmd_private.h"

#include <string.h>

#define LITERAL_LEN(text) (sizeof(text) - 1)

/* The texts are written without needless blanks: EVAL sends them whole. */
#define RELEASE                                                                                              \
    "local v=redis.call('GET',KEYS[1])"                                                                      \
    "if v==ARGV[1]then return redis.call('DEL',KEYS[1])end "                                                 \
    "return v and 0 or-1"
#define EXTEND                                                                                               \
    "local v=redis.call('GET',KEYS[1])"                                                                      \
    "if v~=ARGV[1]then return v and 0 or-1 end "                                                             \
    "if redis.call('PTTL',KEYS[1])<tonumber(ARGV[2])then redis.call('PEXPIRE',KEYS[1],ARGV[2])end "          \
    "return 1"

#define REPLACE                                                                                              \
    "local v=redis.call('GET',KEYS[1])"                                                                      \
    "if v~=ARGV[1]then return v and 0 or-1 end "                                                             \
    "redis.call('SET',KEYS[1],ARGV[2])return 1"
#define ACQUIRE                                                                                              \
    "local v=redis.call('GET',KEYS[1])"                                                                      \
    "if v and v~=ARGV[1]then return{0,redis.call('PTTL',KEYS[1])}end "                                       \
    "local c=tonumber(redis.call('GET',KEYS[2])or 0)"                                                        \
    "if not v then c=math.max(c+1,tonumber(ARGV[3]))end "                                                    \
    "redis.call('SET',KEYS[2],string.format('%.0f',c))"                                                      \
    "if ARGV[4]~='0'then redis.call('PEXPIRE',KEYS[2],ARGV[4])end "                                          \
    "if not v then redis.call('PSETEX',KEYS[1],ARGV[2],ARGV[1])end "                                         \
    "return{1,c}"
#define EXTEND_FENCED                                                                                        \
    "local v=redis.call('GET',KEYS[1])"                                                                      \
    "if v~=ARGV[1]then return v and 0 or-1 end "                                                             \
    "if(tonumber(redis.pcall('GET',KEYS[2]))or 0)<tonumber(ARGV[3])then "                                    \
    "redis.call('SET',KEYS[2],ARGV[3])end "                                                                  \
    "if ARGV[4]~='0'then redis.call('PEXPIRE',KEYS[2],ARGV[4])end "                                          \
    "if redis.call('PTTL',KEYS[1])<tonumber(ARGV[2])then redis.call('PEXPIRE',KEYS[1],ARGV[2])end "          \
    "return 1"

#define CANARY "return redis.call('SETNX',KEYS[1],ARGV[1]..redis.call('TIME')[1])"

/* Each text an object of its own, so that a static link drops those of modes that are not used. */
static const char release_text[] = RELEASE;
static const char extend_text[] = EXTEND;
static const char replace_text[] = REPLACE;
static const char acquire_text[] = ACQUIRE;
static const char extend_fenced_text[] = EXTEND_FENCED;
static const char canary_text[] = CANARY;

const struct rdl_script rdl_script_release = {
    release_text, LITERAL_LEN(release_text), 1, 1, 0, "405ff44962cd47e5aa852fc40f9e4817c685a7e4"};
const struct rdl_script rdl_script_extend = {
    extend_text, LITERAL_LEN(extend_text), 1, 2, 1, "08268618273684dd4965e354b804771b81d04031"};
const struct rdl_script rdl_script_replace = {
    replace_text, LITERAL_LEN(replace_text), 1, 2, 2, "abf463a6a378e6400555b2c166bf7cac01aa6ce9"};
const struct rdl_script rdl_script_acquire = {
    acquire_text, LITERAL_LEN(acquire_text), 2, 4, 3, "4051092336c097779185b300bfa90f576279f32a"};
const struct rdl_script rdl_script_extend_fenced = {
    extend_fenced_text, LITERAL_LEN(extend_fenced_text), 2, 4, 4, "00eaf0118af36d2584e2c27e51bd8fdc1f10ecd7"};
const struct rdl_script rdl_script_canary = {
    canary_text, LITERAL_LEN(canary_text), 1, 1, 9, "cd7d5901b0f22567ebc704edf87ed3edc382b7b6"};

/*@ requires \valid(w); assigns w->error; ensures \result == \null && w->error == RDL_E_SPACE; */
static uint8_t *refuse(struct rdl_writer *w)
{
    w->error = RDL_E_SPACE;
    return NULL;
}

/*
 * Claim `fixed` bytes and those of the arguments as bulks: where to write them, or NULL and the error.
 * An argument longer than a server takes is refused like one that does not fit.
 */
/*@ requires \valid(w) && w->buf != \null && w->len <= w->cap && \valid(w->buf + (0 .. w->cap - 1));
    requires \valid_read(argv + (0 .. argc - 1)) && \separated(w, argv + (0 .. argc - 1));
    assigns w->len, w->error;
    ensures refused: \result == \null <==> w->error != RDL_OK;
    ensures nothing: w->error != RDL_OK ==> w->error == RDL_E_SPACE && w->len == \old(w->len);
    ensures place: w->error == RDL_OK ==> \result == \old(w->buf + w->len);
    ensures fits: w->error == RDL_OK ==> w->len <= w->cap;
    ensures exact: w->error == RDL_OK ==>
        w->len == \old(w->len) + fixed + bulks{Pre}((struct rdl_bytes *)argv, argc); */
static uint8_t *claim(struct rdl_writer *w, size_t fixed, const struct rdl_bytes *argv, size_t argc)
{
    size_t room = w->cap - w->len;
    size_t need = fixed;
    uint8_t *to = w->buf + w->len;
    size_t i;

    if (w->error != RDL_OK || need > room)
        return refuse(w);
    /*@ loop invariant 0 <= i <= argc && need <= room && w->error == RDL_OK;
        loop invariant need == fixed + bulks{Pre}((struct rdl_bytes *)argv, i);
        loop assigns i, need; loop variant argc - i; */
    for (i = 0; i < argc; i++) {
        size_t len = argv[i].len;

        if (len > RDL_BULK_MAX)
            return refuse(w);
        len += rdl_dec_len((uint32_t)len) + 5;
        if (len > room - need)
            return refuse(w);
        need += len;
    }
    w->len += need;
    return to;
}

static uint8_t *put_raw(uint8_t *to, const void *data, size_t len)
{
    if (len > 0) /* data may be NULL then */
        memcpy(to, data, len);
    return to + len;
}

/* `*count CR LF` or `$count CR LF`. */
static uint8_t *put_count(uint8_t *to, char type, size_t count)
{
    to[0] = (uint8_t)type;
    to += 1 + rdl_dec_u32((char *)to + 1, (uint32_t)count);
    to[0] = '\r';
    to[1] = '\n';
    return to + 2;
}

static uint8_t *put_bulk(uint8_t *to, struct rdl_bytes bytes)
{
    to = put_raw(put_count(to, '$', bytes.len), bytes.data, bytes.len);
    to[0] = '\r';
    to[1] = '\n';
    return to + 2;
}

static void put_bulks(uint8_t *to, const struct rdl_bytes *argv, size_t argc)
{
    size_t i;

    for (i = 0; i < argc; i++)
        to = put_bulk(to, argv[i]);
}

int rdl_write_command(struct rdl_writer *w, const char *head, size_t head_len, const struct rdl_bytes *argv,
                      size_t argc)
{
    uint8_t *to = claim(w, head_len, argv, argc);

    if (to == NULL)
        return RDL_E_SPACE;
    put_bulks(put_raw(to, head, head_len), argv, argc);
    return RDL_OK;
}

int rdl_cmd_auth(struct rdl_writer *w, struct rdl_bytes user, struct rdl_bytes password)
{
    static const char alone[] = "*2\r\n$4\r\nAUTH\r\n";
    static const char named[] = "*3\r\n$4\r\nAUTH\r\n";
    const struct rdl_bytes argv[] = {user, password};

    if (user.len == 0)
        return rdl_write_command(w, alone, LITERAL_LEN(alone), argv + 1, 1);
    return rdl_write_command(w, named, LITERAL_LEN(named), argv, 2);
}

int rdl_cmd_select(struct rdl_writer *w, uint32_t db)
{
    static const char head[] = "*2\r\n$6\r\nSELECT\r\n";
    char text[RDL_DEC_MAX];
    const struct rdl_bytes digits = {text, rdl_dec_u32(text, db)};

    return rdl_write_command(w, head, LITERAL_LEN(head), &digits, 1);
}

int rdl_cmd_client_setname(struct rdl_writer *w, struct rdl_bytes name)
{
    static const char head[] = "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), &name, 1);
}

int rdl_cmd_set_nx_px(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes token, uint32_t ttl_ms)
{
    static const char head[] = "*6\r\n$3\r\nSET\r\n";
    static const char middle[] = "$2\r\nNX\r\n$2\r\nPX\r\n";
    char text[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {key, token, {text, rdl_dec_u32(text, ttl_ms)}};
    uint8_t *to = claim(w, LITERAL_LEN(head) + LITERAL_LEN(middle), argv, 3);

    if (to == NULL)
        return RDL_E_SPACE;
    to = put_raw(to, head, LITERAL_LEN(head));
    to = put_bulk(to, argv[0]);
    to = put_bulk(to, argv[1]);
    to = put_raw(to, middle, LITERAL_LEN(middle));
    put_bulk(to, argv[2]);
    return RDL_OK;
}

int rdl_cmd_pttl(struct rdl_writer *w, struct rdl_bytes key)
{
    static const char head[] = "*2\r\n$4\r\nPTTL\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), &key, 1);
}

int rdl_cmd_watch(struct rdl_writer *w, struct rdl_bytes key)
{
    static const char head[] = "*2\r\n$5\r\nWATCH\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), &key, 1);
}

int rdl_cmd_get(struct rdl_writer *w, struct rdl_bytes key)
{
    static const char head[] = "*2\r\n$3\r\nGET\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), &key, 1);
}

int rdl_cmd_del(struct rdl_writer *w, struct rdl_bytes key)
{
    static const char head[] = "*2\r\n$3\r\nDEL\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), &key, 1);
}

int rdl_cmd_multi(struct rdl_writer *w)
{
    static const char head[] = "*1\r\n$5\r\nMULTI\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), NULL, 0);
}

int rdl_cmd_exec(struct rdl_writer *w)
{
    static const char head[] = "*1\r\n$4\r\nEXEC\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), NULL, 0);
}

int rdl_cmd_discard(struct rdl_writer *w)
{
    static const char head[] = "*1\r\n$7\r\nDISCARD\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), NULL, 0);
}

int rdl_cmd_pexpire(struct rdl_writer *w, struct rdl_bytes key, uint32_t ttl_ms)
{
    static const char head[] = "*3\r\n$7\r\nPEXPIRE\r\n";
    char text[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {key, {text, rdl_dec_u32(text, ttl_ms)}};

    return rdl_write_command(w, head, LITERAL_LEN(head), argv, 2);
}

int rdl_cmd_delifeq(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes token)
{
    static const char head[] = "*3\r\n$7\r\nDELIFEQ\r\n";
    const struct rdl_bytes argv[] = {key, token};

    return rdl_write_command(w, head, LITERAL_LEN(head), argv, 2);
}

int rdl_cmd_delex(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes token)
{
    static const char head[] = "*4\r\n$5\r\nDELEX\r\n";
    const struct rdl_bytes argv[] = {key, {"IFEQ", 4}, token};

    return rdl_write_command(w, head, LITERAL_LEN(head), argv, 3);
}

static int two(struct rdl_writer *w, const char *head, size_t head_len, struct rdl_bytes key,
               struct rdl_bytes value)
{
    const struct rdl_bytes argv[] = {key, value};

    return rdl_write_command(w, head, head_len, argv, 2);
}

int rdl_cmd_set(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes value)
{
    static const char head[] = "*3\r\n$3\r\nSET\r\n";

    return two(w, head, LITERAL_LEN(head), key, value);
}

int rdl_cmd_time(struct rdl_writer *w)
{
    static const char head[] = "*1\r\n$4\r\nTIME\r\n";

    return rdl_write_command(w, head, LITERAL_LEN(head), NULL, 0);
}

int rdl_cmd_setnx(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes value)
{
    static const char head[] = "*3\r\n$5\r\nSETNX\r\n";

    return two(w, head, LITERAL_LEN(head), key, value);
}

int rdl_cmd_getset(struct rdl_writer *w, struct rdl_bytes key, struct rdl_bytes value)
{
    static const char head[] = "*3\r\n$6\r\nGETSET\r\n";

    return two(w, head, LITERAL_LEN(head), key, value);
}

/* ---------------------------------------------------------------- calls of a script: head, script, tail */

static const char evalsha_name[] = "$7\r\nEVALSHA\r\n";
static const char eval_name[] = "$4\r\nEVAL\r\n";
static const char tail[] = "\r\n$1\r\n0\r\n"; /* the end of the script, the number of keys */

enum { TAIL_KEYS = 6 }; /* where in `tail` that number stands */

/* How many bulks a call has: the command, the script, the number of keys, the arguments. */
static size_t call_len(const struct rdl_script *s)
{
    return (size_t)3 + s->keys + s->args;
}

static size_t head_len(const struct rdl_script *s, size_t name_len, size_t script_len)
{
    return rdl_dec_len((uint32_t)call_len(s)) + name_len + rdl_dec_len((uint32_t)script_len) + 6;
}

static uint8_t *put_head(uint8_t *to, const struct rdl_script *s, const char *name, size_t name_len,
                         size_t script_len)
{
    to = put_count(to, '*', call_len(s));
    return put_count(put_raw(to, name, name_len), '$', script_len);
}

static void put_tail(uint8_t *to, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    RDL_ASSERT(s->keys <= 9);
    put_raw(to, tail, LITERAL_LEN(tail));
    to[TAIL_KEYS] = (uint8_t)(to[TAIL_KEYS] + s->keys);
    put_bulks(to + LITERAL_LEN(tail), argv, (size_t)s->keys + s->args);
}

int rdl_cmd_evalsha(struct rdl_writer *w, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    size_t name_len = LITERAL_LEN(evalsha_name);
    size_t sha_len = LITERAL_LEN(s->sha);
    size_t fixed = head_len(s, name_len, sha_len) + sha_len + LITERAL_LEN(tail);
    uint8_t *to = claim(w, fixed, argv, (size_t)s->keys + s->args);

    if (to == NULL)
        return RDL_E_SPACE;
    to = put_head(to, s, evalsha_name, name_len, sha_len);
    put_tail(put_raw(to, s->sha, sha_len), s, argv);
    return RDL_OK;
}

int rdl_cmd_eval_head(struct rdl_writer *w, const struct rdl_script *s)
{
    size_t name_len = LITERAL_LEN(eval_name);
    uint8_t *to = claim(w, head_len(s, name_len, s->text_len), NULL, 0);

    if (to == NULL)
        return RDL_E_SPACE;
    put_head(to, s, eval_name, name_len, s->text_len);
    return RDL_OK;
}

int rdl_cmd_eval_tail(struct rdl_writer *w, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    uint8_t *to = claim(w, LITERAL_LEN(tail), argv, (size_t)s->keys + s->args);

    if (to == NULL)
        return RDL_E_SPACE;
    put_tail(to, s, argv);
    return RDL_OK;
}
