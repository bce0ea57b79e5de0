/* SPDX-License-Identifier: MIT */
/*
 * fuzz_parse.c - any bytes: the parser stays inside them, and any two ways of cutting them give the same
 * verdict and the same replies. The first three bytes choose the second cutting.
 */
#include "resp/resp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 4096 };
static uint8_t area[INPUT_MAX]; /* a piece ends at its end, so that ASan finds one byte more */

struct outcome {
    int result;
    size_t offset;
    uint32_t events;  /* hash of all events, fragments joined */
    uint32_t replies; /* the same at the last complete reply */
};

static void must(int holds)
{
    if (!holds)
        abort();
}

static void mix(struct outcome *o, uint64_t x)
{
    o->events = (o->events ^ (uint32_t)x ^ (uint32_t)(x >> 32)) * 16777619u;
}

static void note(struct outcome *o, const struct rdl_resp_event *ev)
{
    size_t i;

    must(ev->kind <= RDL_RESP_ARRAY && ev->first <= 1 && ev->last <= 1 && ev->end <= ev->last);
    if (ev->first) {
        mix(o, ev->kind);
        mix(o, ev->type);
    }
    for (i = 0; i < ev->len; i++)
        mix(o, ev->data[i]);
    if (ev->last)
        mix(o, (uint64_t)ev->value);
    if (ev->end)
        o->replies = o->events;
}

static void piece(struct rdl_resp *p, struct outcome *o, const uint8_t *data, size_t size)
{
    const uint8_t *at = memcpy(area + INPUT_MAX - size, data, size);

    do {
        struct rdl_resp_event ev;
        size_t used = size + 1;

        o->result = rdl_resp_next(p, at, size, &used, &ev);
        must(used <= size);
        if (o->result == RDL_OK) {
            must(used >= 1 && (ev.len == 0 || (ev.data >= at && ev.data + ev.len <= at + used)));
            note(o, &ev);
        }
        at += used;
        size -= used;
        o->offset += used;
    } while (o->result == RDL_OK);
    must(o->result < 0 || size == 0);
}

/* Pieces of cut[0], cut[1], cut[2] + 1 bytes, over and over; cut NULL: one piece. */
static struct outcome parse(const uint8_t *data, size_t size, const uint8_t *cut)
{
    struct outcome o = {RDL_PENDING, 0, 1, 1};
    struct rdl_resp p;
    size_t at = 0;
    size_t i;

    rdl_resp_init(&p);
    for (i = 0; at < size && o.result == RDL_PENDING; i++) {
        size_t n = cut == NULL ? size : (size_t)cut[i % 3] % 64 + (i % 3 == 2);

        if (n > size - at)
            n = size - at;
        piece(&p, &o, data + at, n);
        at += n;
        must(i < 3 * INPUT_MAX);
    }
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome whole;
    struct outcome pieces;

    if (size < 3 || size - 3 > INPUT_MAX)
        return 0;
    whole = parse(data + 3, size - 3, NULL);
    pieces = parse(data + 3, size - 3, data);
    must(whole.result == pieces.result && whole.offset == pieces.offset && whole.replies == pieces.replies);
    must(whole.result < 0 || whole.events == pieces.events);
    return 0;
}
