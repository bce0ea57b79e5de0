/* SPDX-License-Identifier: MIT */
/*
 * fuzz_roundtrip.c - what we send is read back as what was meant, whatever bytes the arguments hold and
 * however much room there is. Input: command, room, length of the first argument, number (4), arguments.
 */
#include "resp/resp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM_MAX = 4096, HEADER = 8 };
static uint8_t area[ROOM_MAX];

static void must(int holds)
{
    if (!holds)
        abort();
}

/* The words a command is expected to have. */
struct words {
    struct rdl_bytes word[16];
    size_t count;
};

static void word(struct words *x, const void *data, size_t len)
{
    x->word[x->count].data = data;
    x->word[x->count].len = len;
    x->count++;
}

/* What the input gives: a key, a token, a number, its decimal digits, and how long it is in seconds. */
struct args {
    struct rdl_bytes key;
    struct rdl_bytes token;
    uint32_t number;
    char digits[16];
    char seconds[16];
};

/* The template's words, by blanks; a letter alone stands for an argument. */
static void expect(struct words *x, const char *template, const struct args *a)
{
    while (*template != '\0') {
        size_t len = strcspn(template, " ");

        switch (len == 1 ? *template : '\0') {
        case 'k':
            word(x, a->key.data, a->key.len);
            break;
        case 't':
            word(x, a->token.data, a->token.len);
            break;
        case 'n':
            word(x, a->digits, strlen(a->digits));
            break;
        case 's':
            word(x, a->seconds, strlen(a->seconds));
            break;
        default:
            word(x, template, len);
            break;
        }
        template += len + (template[len] == ' ');
    }
}

static void read_back(const uint8_t *buf, size_t len, const struct words *expected)
{
    struct rdl_resp p;
    struct rdl_resp_event ev;
    size_t used = 0;
    size_t i;

    rdl_resp_init(&p);
    must(rdl_resp_next(&p, buf, len, &used, &ev) == RDL_OK);
    must(ev.kind == RDL_RESP_ARRAY && ev.value == (int64_t)expected->count);
    for (i = 0; i < expected->count; i++) {
        buf += used;
        len -= used;
        must(rdl_resp_next(&p, buf, len, &used, &ev) == RDL_OK);
        must(ev.kind == RDL_RESP_BULK && ev.first && ev.last && ev.len == expected->word[i].len);
        must(ev.len == 0 || memcmp(ev.data, expected->word[i].data, ev.len) == 0);
    }
    must(ev.end && used == len);
}

static int plain(struct rdl_writer *w, const struct args *a, unsigned command)
{
    switch (command) {
    case 0:
        return rdl_cmd_client_setname(w, a->key);
    case 1:
        return rdl_cmd_pttl(w, a->key);
    case 2:
        return rdl_cmd_watch(w, a->key);
    case 3:
        return rdl_cmd_get(w, a->key);
    case 4:
        return rdl_cmd_del(w, a->key);
    case 5:
        return rdl_cmd_delex(w, a->key, a->token);
    case 6:
        return rdl_cmd_delifeq(w, a->key, a->token);
    case 7:
        return rdl_cmd_set(w, a->key, a->token);
    case 8:
        return rdl_cmd_setnx(w, a->key, a->token);
    case 9:
        return rdl_cmd_getset(w, a->key, a->token);
    case 10:
        return rdl_cmd_multi(w);
    case 11:
        return rdl_cmd_exec(w);
    case 12:
        return rdl_cmd_discard(w);
    case 13:
        return rdl_cmd_time(w);
    default:
        return rdl_cmd_ask(w, (enum rdl_question)(command - 14));
    }
}

static const char *const plain_words[] = {
    "CLIENT SETNAME k", "PTTL k",           "WATCH k",     "GET k", "DEL k", "DELEX k IFEQ t", "DELIFEQ k t",
    "SET k t",          "SETNX k t",        "GETSET k t",  "MULTI", "EXEC",  "DISCARD",        "TIME",
    "INFO server",      "INFO replication", "INFO memory",
};
enum { PLAIN = sizeof plain_words / sizeof plain_words[0], NUMBERED = 6 };

/* Those whose words depend on their arguments. */
static int numbered(struct rdl_writer *w, struct words *x, const struct args *a, unsigned command)
{
    switch (command) {
    case 0:
        expect(x, a->key.len > 0 ? "AUTH k t" : "AUTH t", a);
        return rdl_cmd_auth(w, a->key, a->token);
    case 1:
        expect(x, "SELECT n", a);
        return rdl_cmd_select(w, a->number);
    case 2:
        expect(x, "PEXPIRE k n", a);
        return rdl_cmd_pexpire(w, a->key, a->number);
    case 3:
        expect(x, "SET k t NX PX n", a);
        return rdl_cmd_set_nx_px(w, a->key, a->token, a->number);
    default:
        expect(x, "BLPOP k s", a);
        return rdl_cmd_blpop(w, a->key, a->number, command == 5);
    }
}

static const struct rdl_script *const scripts[] = {
    &rdl_script_release,       &rdl_script_extend,       &rdl_script_replace,       &rdl_script_acquire,
    &rdl_script_extend_fenced, &rdl_script_release_wake, &rdl_script_acquire_multi, &rdl_script_extend_multi,
    &rdl_script_release_multi, &rdl_script_canary,
};
enum { SCRIPTS = sizeof scripts / sizeof scripts[0], WAYS = 2 };

static void text(struct rdl_writer *w, const struct rdl_script *s)
{
    if (w->error == RDL_OK && s->text_len <= w->cap - w->len) {
        memcpy(w->buf + w->len, s->text, s->text_len);
        w->len += s->text_len;
    } else
        w->error = RDL_E_SPACE;
}

/* A script with 1 to 9 keys, the odd arguments the key, the others the token. */
static int scripted(struct rdl_writer *w, struct words *x, const struct args *a, unsigned command)
{
    static const char *const ways[] = {"EVALSHA", "EVAL"};
    const struct rdl_script *script = scripts[command % SCRIPTS];
    struct rdl_script s = *script;
    unsigned way = command / SCRIPTS;
    static char keys[1];
    size_t i;

    expect(x, ways[way], a);
    word(x, way == 0 ? script->sha : script->text, way == 0 ? 40 : s.text_len);
    s.keys = (uint8_t)(1 + a->number % 9);
    keys[0] = (char)('0' + s.keys);
    word(x, keys, 1);
    for (i = 0; i < (size_t)s.keys + s.args; i++)
        expect(x, i & 1 ? "k" : "t", a);
    if (way == 0)
        return rdl_cmd_evalsha(w, &s, x->word + 3);
    rdl_cmd_eval_head(w, &s);
    text(w, &s);
    return rdl_cmd_eval_tail(w, &s, x->word + 3);
}

/* As a wait is written: at least 2 ms, in whole seconds rounded up or in thousandths. */
static void in_seconds(char out[16], uint32_t ms, int is_whole)
{
    unsigned long thousandths = ms > 2 ? ms : 2;

    if (is_whole)
        snprintf(out, 16, "%lu", thousandths / 1000 + (thousandths % 1000 > 0));
    else if (thousandths % 1000 == 0)
        snprintf(out, 16, "%lu", thousandths / 1000);
    else
        snprintf(out, 16, "%lu.%03lu", thousandths / 1000, thousandths % 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct words expected = {{{NULL, 0}}, 0};
    struct args a;
    struct rdl_writer w;
    unsigned command;
    size_t room;
    int result;

    if (size < HEADER)
        return 0;
    memcpy(&a.number, data + 4, sizeof a.number);
    room = ((size_t)data[1] << 8 | data[2]) % (ROOM_MAX + 1);
    command = data[0] % (PLAIN + NUMBERED + WAYS * SCRIPTS);
    a.key.data = data + HEADER;
    a.key.len = data[3] < size - HEADER ? data[3] : size - HEADER;
    a.token.data = data + HEADER + a.key.len;
    a.token.len = size - HEADER - a.key.len;
    snprintf(a.digits, sizeof a.digits, "%lu", (unsigned long)a.number);
    in_seconds(a.seconds, a.number, command == PLAIN + 5);

    rdl_writer_init(&w, area + ROOM_MAX - room, room);
    if (command < PLAIN) {
        expect(&expected, plain_words[command], &a);
        result = plain(&w, &a, command);
    } else if (command < PLAIN + NUMBERED)
        result = numbered(&w, &expected, &a, command - PLAIN);
    else
        result = scripted(&w, &expected, &a, command - PLAIN - NUMBERED);
    must(result == w.error && w.len <= w.cap);
    if (result == RDL_OK)
        read_back(w.buf, w.len, &expected);
    else
        must(command >= PLAIN + NUMBERED || w.len == 0);
    return 0;
}
