/* SPDX-License-Identifier: MIT */
/*
 * fuzz_roundtrip.c - what we send is read back as intended, whatever bytes the arguments contain, in windows
 * of any sizes. Input: template, two bytes, length of the first argument, number (4), arguments; from the
 * second byte on they are also the sizes of the windows.
 */
#include "redlock/cli/servers/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 8 };

static void must(int holds)
{
    if (!holds)
        abort();
}

/* The expected words of a command. */
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

/* From the input: a key, a token, a number and its decimal digits. */
struct args {
    struct rdl_bytes key;
    struct rdl_bytes token;
    uint32_t number;
    char digits[16];
};

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

static const struct rdl_script *const scripts[] = {
    &rdl_script_release,       &rdl_script_extend,       &rdl_script_replace,       &rdl_script_acquire,
    &rdl_script_extend_fenced, &rdl_script_release_hint, &rdl_script_acquire_multi, &rdl_script_extend_multi,
    &rdl_script_release_multi, &rdl_script_canary,
};
enum { SCRIPTS = sizeof scripts / sizeof scripts[0] };

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
    {rdl_wire_call_release_hint, "c s 2 k b v h"},
    {rdl_wire_call_fenced, "c s 2 k b v m f h"},
    {rdl_wire_call_multi, "c s y k * v m"},
    {rdl_wire_call_release_multi, "c s y k * v"},
    {rdl_wire_info_persistence, "INFO persistence"},
    {rdl_wire_config_get, "CONFIG GET p"},
    {rdl_wire_scan, "SCAN g MATCH p COUNT 250"},
    {rdl_wire_getrange, "GETRANGE k 0 128"},
    {rdl_wire_strlen, "STRLEN k"},
};
enum { TEMPLATES = sizeof templates / sizeof templates[0], LETTERS = 19, JOINED_MAX = 1 << 16 };
static const char letters[LETTERS + 1] = "kkbvxmcsyfhtuPdngpa"; /* the first k may be missing */

/* The meaning of each letter: a key, a token, a number, and the script with that number. */
static void fill(struct rdl_bytes arg[LETTERS], const struct args *a)
{
    size_t i;

    for (i = 0; i < LETTERS; i++)
        arg[i] = i & 1 ? a->token : a->key;
    arg[5].data = a->digits;
    arg[5].len = strlen(a->digits);
    rdl_script_call(scripts[a->number % SCRIPTS], a->number >> 8 & 1, &arg[6], &arg[7]);
}

static void expect_words(struct words *x, const char *text, const struct rdl_args *args)
{
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        const char *letter = strchr(args->letters, *text);

        if (*text == '*') {
            if (args->n == LETTERS)
                word(x, args->arg[1].data, args->arg[1].len);
        } else if (len == 1 && letter != NULL)
            word(x, args->arg[letter - args->letters].data, args->arg[letter - args->letters].len);
        else
            word(x, text, len);
        text += len + (text[len] == ' ');
    }
}

/* The windows joined have the length that was computed before, and are read back as the command's words. */
static void in_slices(const struct args *a, unsigned which, const uint8_t *sizes, size_t count)
{
    static uint8_t joined[JOINED_MAX];
    struct rdl_bytes arg[LETTERS];
    struct rdl_args args = {letters + 1, arg + 1, LETTERS - 1};
    struct rdl_slice w = {NULL, 0, SIZE_MAX, 0};
    struct words expected = {{{NULL, 0}}, 0};
    size_t total;
    size_t sent = 0;
    size_t i = 0;

    fill(arg, a);
    if (strchr(templates[which].words, '*') != NULL && (a->number >> 9 & 1) != 0)
        args = (struct rdl_args){letters, arg, LETTERS};
    expect_words(&expected, templates[which].words, &args);
    arg[LETTERS - 1].len = expected.count; /* a */
    rdl_slice_write(&w, templates[which].text, &args);
    total = w.total;
    if (total > sizeof joined)
        return;
    while (sent < total) {
        size_t room = count > 0 ? 1 + sizes[i++ % count] % 96u : 1;
        uint8_t *window = malloc(room); /* an object of its own, so that a byte beyond it is found */

        must(window != NULL);
        w.to = window;
        w.room = room;
        w.skip = sent;
        w.total = 0;
        rdl_slice_write(&w, templates[which].text, &args);
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
    struct args a;

    if (size < HEADER)
        return 0;
    memcpy(&a.number, data + 4, sizeof a.number);
    a.key.data = data + HEADER;
    a.key.len = data[3] < size - HEADER ? data[3] : size - HEADER;
    a.token.data = data + HEADER + a.key.len;
    a.token.len = size - HEADER - a.key.len;
    snprintf(a.digits, sizeof a.digits, "%lu", (unsigned long)a.number);
    in_slices(&a, data[0] % TEMPLATES, data + 1, size - 1);
    return 0;
}
