/* SPDX-License-Identifier: MIT */
/*
 * fuzz_roundtrip.c - what we send is read back as what was meant, whatever bytes the arguments hold and
 * however much room there is: the commands in a buffer, the templates in windows of any sizes. Input: command
 * and template, room, length of the first argument, number (4), arguments; they are the sizes of the windows,
 * too.
 */
#include "resp/resp_template.h"

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

/* ---------------------------------------------------------------- templates */

static const struct {
    const char *text;
    const char *words; /* as in WIRE.md; * is a k more, or none */
} templates[] = {
    {rdl_wire_auth, "AUTH P"},
    {rdl_wire_auth_user, "AUTH u P"},
    {rdl_wire_select, "SELECT d"},
    {rdl_wire_client_setname, "CLIENT SETNAME n"},
    {rdl_wire_info_server, "INFO server"},
    {rdl_wire_info_replication, "INFO replication"},
    {rdl_wire_info_memory, "INFO memory"},
    {rdl_wire_set_nx_px, "SET k v NX PX m"},
    {rdl_wire_pttl, "PTTL k"},
    {rdl_wire_delex, "DELEX k IFEQ v"},
    {rdl_wire_delifeq, "DELIFEQ k v"},
    {rdl_wire_watch, "WATCH k"},
    {rdl_wire_get, "GET k"},
    {rdl_wire_multi, "MULTI"},
    {rdl_wire_del, "DEL k"},
    {rdl_wire_pexpire, "PEXPIRE k m"},
    {rdl_wire_set, "SET k v"},
    {rdl_wire_exec, "EXEC"},
    {rdl_wire_discard, "DISCARD"},
    {rdl_wire_time, "TIME"},
    {rdl_wire_setnx, "SETNX k v"},
    {rdl_wire_getset, "GETSET k v"},
    {rdl_wire_blpop, "BLPOP b t"},
    {rdl_wire_call_release, "c s 1 k v"},
    {rdl_wire_call_extend, "c s 1 k v m"},
    {rdl_wire_call_replace, "c s 1 k x v"},
    {rdl_wire_call_release_wake, "c s 2 k b v h"},
    {rdl_wire_call_fenced, "c s 2 k b v m f h"},
    {rdl_wire_call_multi, "c s y k * v m"},
    {rdl_wire_call_release_multi, "c s y k * v"},
    {rdl_wire_scan, "SCAN g MATCH p COUNT 1000"},
};
enum { TEMPLATES = sizeof templates / sizeof templates[0], LETTERS = 19, JOINED_MAX = 1 << 16 };
static const char letters[LETTERS + 1] = "kbvxmcsyfhtuPdngpak"; /* the last k may be missing */

/* What each letter stands for: a key, a token, a number, and the script that the number says. */
static void fill(struct rdl_bytes arg[LETTERS], const struct args *a)
{
    size_t i;

    for (i = 0; i < LETTERS; i++)
        arg[i] = i & 1 ? a->key : a->token;
    arg[4].data = a->digits;
    arg[4].len = strlen(a->digits);
    rdl_script_call(scripts[a->number % SCRIPTS], a->number >> 8 & 1, &arg[5], &arg[6]);
}

static void expect_words(struct words *x, const char *text, const struct rdl_bytes *arg, size_t n)
{
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        const char *letter = strchr(letters, *text);

        if (*text == '*') {
            if (n == LETTERS)
                word(x, arg[n - 1].data, arg[n - 1].len);
        } else if (len == 1 && letter != NULL)
            word(x, arg[letter - letters].data, arg[letter - letters].len);
        else
            word(x, text, len);
        text += len + (text[len] == ' ');
    }
}

/* The windows joined are what a look at its whole length said, and are read back as the command's words. */
static void in_windows(const struct args *a, unsigned which, const uint8_t *sizes, size_t count)
{
    static uint8_t joined[JOINED_MAX];
    struct rdl_bytes arg[LETTERS];
    struct rdl_args args = {letters, arg, LETTERS - 1};
    struct rdl_window w = {NULL, 0, SIZE_MAX, 0};
    struct words expected = {{{NULL, 0}}, 0};
    size_t total;
    size_t sent = 0;
    size_t i = 0;

    fill(arg, a);
    if (strchr(templates[which].words, '*') != NULL)
        args.n += a->number >> 9 & 1;
    expect_words(&expected, templates[which].words, arg, args.n);
    arg[LETTERS - 2].len = expected.count; /* a */
    rdl_window_command(&w, templates[which].text, &args);
    total = w.total;
    if (total > sizeof joined)
        return;
    while (sent < total) {
        size_t room = count > 0 ? 1 + sizes[i++ % count] % 96u : 1;
        uint8_t *window = malloc(room); /* so that a byte beside it is found */

        must(window != NULL);
        w.to = window;
        w.room = room;
        w.skip = sent;
        w.total = 0;
        rdl_window_command(&w, templates[which].text, &args);
        must(w.total == total && w.skip == 0 && w.to == window + (room - w.room));
        must(w.room == 0 || sent + (room - w.room) == total);
        memcpy(joined + sent, window, room - w.room);
        sent += room - w.room;
        free(window);
    }
    read_back(joined, total, &expected);
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
    in_windows(&a, data[0] % TEMPLATES, data + 1, size - 1);
    return 0;
}
