/* SPDX-License-Identifier: MIT */
/*
 * fuzz_roundtrip.c - what we send is read back as what was meant, whatever bytes the arguments hold and
 * however much room there is. Input: command, room, length of the first argument, number (4), arguments.
 */
#include "resp/resp.h"

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

/* The expected arguments of a command, as its words. */
struct words {
    struct rdl_bytes word[10];
    size_t count;
};

static void word(struct words *w, const void *data, size_t len)
{
    w->word[w->count].data = data;
    w->word[w->count].len = len;
    w->count++;
}

static void literal(struct words *w, const char *text)
{
    word(w, text, strlen(text));
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

static int eval(struct rdl_writer *w, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    int result = rdl_cmd_eval_head(w, s);

    if (result != RDL_OK || s->text_len > w->cap - w->len)
        return RDL_E_SPACE;
    memcpy(w->buf + w->len, s->text, s->text_len);
    w->len += s->text_len;
    return rdl_cmd_eval_tail(w, s, argv);
}

static int scripted(struct rdl_writer *w, struct words *x, int command, const struct rdl_bytes *argv)
{
    const struct rdl_script *s = command & 1 ? &rdl_script_release : &rdl_script_extend;
    int i;

    literal(x, command & 2 ? "EVALSHA" : "EVAL");
    if (command & 2)
        literal(x, s->sha);
    else
        word(x, s->text, s->text_len);
    literal(x, "1");
    for (i = 0; i < s->keys + s->args; i++)
        word(x, argv[i].data, argv[i].len);
    return command & 2 ? rdl_cmd_evalsha(w, s, argv) : eval(w, s, argv);
}

static int send(struct rdl_writer *w, struct words *x, int command, const struct rdl_bytes *argv,
                uint32_t number)
{
    static char digits[RDL_DEC_MAX];
    size_t n = rdl_dec_u32(digits, number);

    switch (command) {
    case 0:
        literal(x, "AUTH");
        if (argv[0].len > 0)
            word(x, argv[0].data, argv[0].len);
        word(x, argv[1].data, argv[1].len);
        return rdl_cmd_auth(w, argv[0], argv[1]);
    case 1:
        literal(x, "SELECT");
        word(x, digits, n);
        return rdl_cmd_select(w, number);
    case 2:
        literal(x, "CLIENT");
        literal(x, "SETNAME");
        word(x, argv[0].data, argv[0].len);
        return rdl_cmd_client_setname(w, argv[0]);
    case 3:
        literal(x, "PTTL");
        word(x, argv[0].data, argv[0].len);
        return rdl_cmd_pttl(w, argv[0]);
    default:
        literal(x, "SET");
        word(x, argv[0].data, argv[0].len);
        word(x, argv[1].data, argv[1].len);
        literal(x, "NX");
        literal(x, "PX");
        word(x, digits, n);
        return rdl_cmd_set_nx_px(w, argv[0], argv[1], number);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct words expected = {{{NULL, 0}}, 0};
    struct rdl_bytes argv[6] = {{NULL, 0}}; /* as many as any script takes */
    struct rdl_writer w;
    size_t room;
    uint32_t number;
    int result;

    if (size < HEADER)
        return 0;
    memcpy(&number, data + 4, sizeof number);
    room = ((size_t)data[1] << 8 | data[2]) % (ROOM_MAX + 1);
    argv[0].data = data + HEADER;
    argv[0].len = data[3] < size - HEADER ? data[3] : size - HEADER;
    argv[1].data = data + HEADER + argv[0].len;
    argv[1].len = size - HEADER - argv[0].len;
    argv[2].data = "30000";
    argv[2].len = 5;

    rdl_writer_init(&w, area + ROOM_MAX - room, room);
    if (data[0] % 10 < 6)
        result = send(&w, &expected, data[0] % 10, argv, number);
    else
        result = scripted(&w, &expected, data[0] % 10, argv);
    must(result == w.error || result == RDL_E_SPACE);
    must(w.len <= w.cap);
    if (result == RDL_OK)
        read_back(w.buf, w.len, &expected);
    return 0;
}
