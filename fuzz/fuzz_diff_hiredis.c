/* SPDX-License-Identifier: MIT */
/*
 * fuzz_diff_hiredis.c - the first reply in any bytes, through hiredis and through our parser. If ours accepts
 * it, hiredis accepts it too, and reads the same from as many bytes. If hiredis accepts it and ours does not,
 * it breaks one of the rules that resp/WIRE.md lists.
 */
#include "resp/resp.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARRAY_MAX = 999 /* hiredis allocates the announced size, at every depth */ };

static void must(int holds)
{
    if (!holds)
        abort();
}

/* One value of ours, against hiredis's; values of an array are compared by recursion over both. */
struct reader {
    struct rdl_resp parser;
    const uint8_t *at;
    size_t left;
};

static void same(struct reader *in, const redisReply *theirs)
{
    struct rdl_resp_event ev;
    size_t used;
    size_t i;

    must(rdl_resp_next(&in->parser, in->at, in->left, &used, &ev) == RDL_OK);
    in->at += used;
    in->left -= used;
    switch (theirs->type) {
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
    case REDIS_REPLY_STRING:
        must(ev.kind == (theirs->type == REDIS_REPLY_STATUS  ? RDL_RESP_STATUS
                         : theirs->type == REDIS_REPLY_ERROR ? RDL_RESP_ERROR
                                                             : RDL_RESP_BULK));
        must(ev.first && ev.last && ev.len == theirs->len);
        must(memcmp(ev.data, theirs->str, ev.len) == 0);
        break;
    case REDIS_REPLY_INTEGER:
        must(ev.kind == RDL_RESP_INT && ev.value == theirs->integer);
        break;
    case REDIS_REPLY_NIL:
        must(ev.kind == RDL_RESP_NIL);
        break;
    default:
        must(ev.kind == RDL_RESP_ARRAY && ev.value == (int64_t)theirs->elements);
        for (i = 0; i < theirs->elements; i++)
            same(in, theirs->element[i]);
        break;
    }
}

/* Our verdict on the first reply; *used: bytes taken, or where the error is. */
static int verdict(const uint8_t *data, size_t size, size_t *used, int64_t *announced)
{
    struct rdl_resp p;
    struct rdl_resp_event ev;
    int result;

    rdl_resp_init(&p);
    *used = 0;
    *announced = 0;
    do {
        size_t n;

        result = rdl_resp_next(&p, data + *used, size - *used, &n, &ev);
        *used += n;
        if (result == RDL_OK && ev.kind == RDL_RESP_ARRAY)
            *announced += ev.value;
    } while (result == RDL_OK && !ev.end);
    return result;
}

/* After an error of ours hiredis may continue, and allocate all that an array announces there. */
static int announces_much(const uint8_t *data, size_t size)
{
    size_t i;
    int digits = 0;

    for (i = 0; i < size; i++) {
        if (data[i] == '*')
            digits = 1;
        else if (digits > 0 && data[i] >= '0' && data[i] <= '9')
            digits++;
        else
            digits = 0;
        if (digits > 4)
            return 1;
    }
    return 0;
}

/* Is only the end of a text wrong? Then the right end, in its place, is accepted. */
static int wrong_end(const uint8_t *data, size_t at)
{
    static const char *const ends[] = {"\r\n", "\n"};
    size_t i;

    for (i = 0; i < 2; i++) {
        struct rdl_resp p;
        struct rdl_resp_event ev;
        size_t used;
        size_t from = 0;

        rdl_resp_init(&p);
        while (from < at && rdl_resp_next(&p, data + from, at - from, &used, &ev) == RDL_OK)
            from += used;
        if (rdl_resp_next(&p, (const uint8_t *)ends[i], strlen(ends[i]), &used, &ev) == RDL_OK && ev.last &&
            (ev.kind == RDL_RESP_STATUS || ev.kind == RDL_RESP_ERROR || ev.kind == RDL_RESP_BULK))
            return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    redisReader *reader;
    void *reply = NULL;
    size_t used;
    int64_t announced;
    int ours = verdict(data, size, &used, &announced);
    int theirs;

    if (announced > ARRAY_MAX || (ours == RDL_E_SYNTAX && announces_much(data, size)))
        return 0;
    reader = redisReaderCreate();
    must(reader != NULL);
    redisReaderFeed(reader, (const char *)data, ours == RDL_OK ? used : size);
    theirs = ours == RDL_E_LIMIT ? REDIS_ERR : redisReaderGetReply(reader, &reply);
    if (ours == RDL_OK && theirs != REDIS_OK)
        must(strstr(reader->errstr, "depth") != NULL);
    else if (ours == RDL_OK) {
        struct reader in = {.at = data, .left = used};

        must(reply != NULL);
        rdl_resp_init(&in.parser);
        same(&in, reply);
        must(in.left == 0);
    } else if (ours == RDL_E_SYNTAX && theirs == REDIS_OK && reply != NULL)
        must(wrong_end(data, used));
    if (reply != NULL)
        freeReplyObject(reply);
    redisReaderFree(reader);
    return 0;
}
