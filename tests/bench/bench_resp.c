/* SPDX-License-Identifier: MIT */
/*
 * bench_resp.c - the same replies and commands through ours and through the system's hiredis.
 *
 * Without arguments: interleaved timed rounds; prints medians of the times, and of the ratios of each round.
 * Under callgrind (bench_resp count): each job once, its instructions dumped under its name, for
 * bench_resp.sh to read.
 */
#define _POSIX_C_SOURCE 200809L
#include "lock/lock_commands.h"
#include "tests/bench/measure.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined __has_include /* the linters read this file also where valgrind is not installed */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_ZERO_STATS
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

enum { STREAM_MAX = 1 << 20, FEED_BYTES = 16384, ROUNDS = 31, BULK_BIG = 16384 };

static volatile uint64_t sink; /* all that is read from replies ends here, so nothing is optimised away */

/* ---------------------------------------------------------------- replies */

/* One workload: a stream of equal replies and how much of it is fed at once. */
struct job {
    const char *name;
    const char *reply;
    size_t reply_len;
    size_t replies; /* how many of them one run parses */
    size_t feed;    /* bytes of a feed; 0: one reply a feed */
    const char *stream;
};

static void ours_parse(const struct job *job)
{
    struct rdl_resp parser;
    struct rdl_resp_event event;
    size_t total = job->reply_len * job->replies;
    size_t feed = job->feed > 0 ? job->feed : job->reply_len;
    size_t at;
    uint64_t sum = 0;

    rdl_resp_init(&parser);
    for (at = 0; at < total; at += feed) {
        const uint8_t *data = (const uint8_t *)job->stream + at;
        size_t left = total - at < feed ? total - at : feed;
        size_t used;

        while (left > 0 && rdl_resp_next(&parser, data, left, &used, &event) == RDL_OK) {
            sum += (uint64_t)event.value + event.len + event.kind;
            data += used;
            left -= used;
        }
    }
    sink += sum;
}

static void peer_parse(const struct job *job)
{
    redisReader *reader = redisReaderCreate();
    size_t total = job->reply_len * job->replies;
    size_t feed = job->feed > 0 ? job->feed : job->reply_len;
    size_t at;
    uint64_t sum = 0;

    for (at = 0; at < total; at += feed) {
        void *reply = NULL;

        redisReaderFeed(reader, job->stream + at, total - at < feed ? total - at : feed);
        while (redisReaderGetReply(reader, &reply) == REDIS_OK && reply != NULL) {
            const redisReply *r = reply;

            sum += (uint64_t)r->integer + (uint64_t)r->type;
            freeReplyObject(reply);
        }
    }
    redisReaderFree(reader);
    sink += sum;
}

/* ---------------------------------------------------------------- commands */

static const char key[] = "lock:orders:0017";                           /* 16 bytes */
static const char token[] = "0123456789abcdef0123456789abcdef01234567"; /* 40 bytes */

static size_t peer_set(char **out)
{
    char ttl[16];
    const char *argv[] = {"SET", key, token, "NX", "PX", ttl};
    size_t lens[] = {3, sizeof key - 1, sizeof token - 1, 2, 2, 0};

    lens[5] = (size_t)snprintf(ttl, sizeof ttl, "%u", 30000u);
    return (size_t)redisFormatCommandArgv(out, 6, argv, lens);
}

static size_t peer_evalsha(char **out)
{
    const char *argv[] = {"EVALSHA", rdl_script_release.sha, "1", key, token};
    const size_t lens[] = {7, 40, 1, sizeof key - 1, sizeof token - 1};

    return (size_t)redisFormatCommandArgv(out, 5, argv, lens);
}

static void peer_encode(const struct job *job)
{
    size_t i;

    for (i = 0; i < job->replies; i++) {
        char *out = NULL;
        size_t len = job->reply[0] == 'S' ? peer_set(&out) : peer_evalsha(&out);

        sink += len + (uint8_t)out[len - 3];
        free(out);
    }
}

/* One command in windows of `feed` bytes: as many as needed. */
static void in_slices(const char *text, const struct rdl_args *args, size_t feed)
{
    static uint8_t buf[256];
    struct rdl_slice w = {NULL, 0, 0, 0};
    size_t sent = 0;

    do {
        w.to = buf;
        w.room = feed;
        w.skip = sent;
        w.total = 0;
        rdl_slice_write(&w, text, args);
        sent += feed - w.room;
    } while (sent < w.total);
    sink += w.total + buf[0];
}

static void ours_set(size_t feed)
{
    char ttl[RDL_DEC_MAX];
    const struct rdl_bytes arg[] = {
        {key, sizeof key - 1}, {token, sizeof token - 1}, {ttl, rdl_dec_u32(ttl, 30000)}};
    const struct rdl_args args = {"kvm", arg, 3};

    in_slices(rdl_wire_set_nx_px, &args, feed);
}

static void ours_evalsha(size_t feed)
{
    struct rdl_bytes arg[4] = {{key, sizeof key - 1}, {token, sizeof token - 1}};
    const struct rdl_args args = {"kvcs", arg, 4};

    rdl_script_call(&rdl_script_release, 1, &arg[2], &arg[3]);
    in_slices(rdl_wire_call_release, &args, feed);
}

static void ours_encode(const struct job *job)
{
    size_t i;

    for (i = 0; i < job->replies; i++)
        (job->reply[0] == 'S' ? ours_set : ours_evalsha)(job->feed);
}

/* All work of this layer for one lock and its release: two commands out, two replies in. */
static void ours_pair(const struct job *job)
{
    static const uint8_t ok[] = "+OK\r\n";
    static const uint8_t one[] = ":1\r\n";
    struct rdl_resp parser;
    struct rdl_resp_event event;
    size_t used;
    size_t i;

    rdl_resp_init(&parser);
    for (i = 0; i < job->replies; i++) {
        ours_set(job->feed);
        if (rdl_resp_next(&parser, ok, sizeof ok - 1, &used, &event) == RDL_OK)
            sink += event.kind;
        ours_evalsha(job->feed);
        if (rdl_resp_next(&parser, one, sizeof one - 1, &used, &event) == RDL_OK)
            sink += (uint64_t)event.value;
    }
}

static void peer_reply(redisReader *reader, const char *bytes, size_t len)
{
    void *reply = NULL;

    redisReaderFeed(reader, bytes, len);
    if (redisReaderGetReply(reader, &reply) == REDIS_OK && reply != NULL) {
        sink += (uint64_t)((redisReply *)reply)->integer;
        freeReplyObject(reply);
    }
}

static void peer_pair(const struct job *job)
{
    redisReader *reader = redisReaderCreate();
    size_t i;

    for (i = 0; i < job->replies; i++) {
        char *out = NULL;

        sink += peer_set(&out);
        free(out);
        peer_reply(reader, "+OK\r\n", 5);
        sink += peer_evalsha(&out);
        free(out);
        peer_reply(reader, ":1\r\n", 4);
    }
    redisReaderFree(reader);
}

/* ---------------------------------------------------------------- the list */

struct pair {
    struct job job;
    void (*ours)(const struct job *);
    void (*peer)(const struct job *);
};

enum { PAIRS_MAX = 64 };
static struct pair pairs[PAIRS_MAX];
static size_t pairs_len;

static char *repeat(const char *unit, size_t unit_len, size_t times)
{
    char *s = malloc(unit_len * times + 1);
    size_t i;

    if (s == NULL)
        exit(1);
    for (i = 0; i < times; i++)
        memcpy(s + i * unit_len, unit, unit_len);
    s[unit_len * times] = '\0';
    return s;
}

static void add(const char *name, struct job job, void (*ours)(const struct job *),
                void (*peer)(const struct job *))
{
    job.name = name;
    pairs[pairs_len].job = job;
    pairs[pairs_len].ours = ours;
    pairs[pairs_len].peer = peer;
    pairs_len++;
}

/* One reply in the three ways of feeding it. */
static void add_reply(const char *name, const char *reply, size_t reply_len)
{
    static const struct {
        const char *suffix;
        size_t feed;
        size_t bytes;
    } ways[] = {{"single", 0, 65536}, {"16k", FEED_BYTES, 262144}, {"byte", 1, 8192}};
    size_t i;

    for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct job job = {0};
        char *full = malloc(64);

        if (full == NULL)
            exit(1);
        snprintf(full, 64, "%s.%s", name, ways[i].suffix);
        job.reply = reply;
        job.reply_len = reply_len;
        job.replies = (ways[i].bytes + reply_len - 1) / reply_len;
        job.feed = ways[i].feed;
        job.stream = repeat(reply, reply_len, job.replies);
        add(full, job, ours_parse, peer_parse);
    }
}

/* A status line of n bytes, byte by byte: the work per byte must not grow with n. */
static void add_line(const char *name, size_t n)
{
    struct job job = {0};
    char *line = repeat("x", 1, n + 3);

    line[0] = '+';
    memcpy(line + n + 1, "\r\n", 2);
    job.reply = line;
    job.reply_len = n + 3;
    job.replies = 1;
    job.feed = 1;
    job.stream = line;
    add(name, job, ours_parse, peer_parse);
}

static void add_all(void)
{
    const struct job set = {.reply = "SET", .replies = 1000, .feed = 256};
    const struct job evalsha = {.reply = "EVALSHA", .replies = 1000, .feed = 256};
    const struct job lock = {.reply = "", .replies = 1000, .feed = 256};
    const struct job pieces = {.reply = "", .replies = 1000, .feed = 64};
    char *bulks = malloc(8192);
    char *big = malloc(BULK_BIG + 64);
    size_t at = 0;
    int i;

    if (bulks == NULL || big == NULL)
        exit(1);
    add_reply("ok", "+OK\r\n", 5);
    add_reply("int", ":1\r\n", 4);
    add_reply("nil", "$-1\r\n", 5);
    add_reply("bulk40", "$40\r\n0123456789abcdef0123456789abcdef01234567\r\n", 47);
    at = (size_t)sprintf(bulks, "*100\r\n");
    for (i = 0; i < 100; i++)
        at += (size_t)sprintf(bulks + at, "$40\r\n%s\r\n", token);
    add_reply("array100", bulks, at);
    at = (size_t)sprintf(big, "$%d\r\n", (int)BULK_BIG);
    memset(big + at, 'x', BULK_BIG);
    memcpy(big + at + BULK_BIG, "\r\n", 2);
    add_reply("bulk16k", big, at + BULK_BIG + 2);
    add("encode.set", set, ours_encode, peer_encode);
    add("encode.evalsha", evalsha, ours_encode, peer_encode);
    add("lock+unlock", lock, ours_pair, peer_pair);
    add("lock+unlock.64", pieces, ours_pair, peer_pair);
    add_line("line.1k", 1024);
    add_line("line.64k", 65536);
}

/* ---------------------------------------------------------------- the two ways of measuring */

static double timed(void (*run)(const struct job *), const struct job *job)
{
    double start_us = bench_clock_us(CLOCK_MONOTONIC);

    run(job);
    return (bench_clock_us(CLOCK_MONOTONIC) - start_us) * 1e3 / (double)job->replies;
}

static void measure_time(const struct pair *pair)
{
    double ours[ROUNDS], peer[ROUNDS], ratio[ROUNDS];
    int i;

    for (i = 0; i < ROUNDS; i++) {
        peer[i] = timed(pair->peer, &pair->job);
        ours[i] = timed(pair->ours, &pair->job);
        ratio[i] = peer[i] / ours[i];
    }
    bench_sort(ratio, ROUNDS);
    printf("%-16s %10.1f ns %10.1f ns  %7.1fx  [%.1f..%.1f]\n", pair->job.name, bench_median(ours, ROUNDS),
           bench_median(peer, ROUNDS), ratio[ROUNDS / 2], ratio[ROUNDS / 4], ratio[ROUNDS - 1 - ROUNDS / 4]);
}

static void count(const struct pair *pair)
{
    char label[80];

    pair->ours(&pair->job); /* resolve symbols, warm the allocator */
    pair->peer(&pair->job);
    CALLGRIND_ZERO_STATS;
    pair->ours(&pair->job);
    snprintf(label, sizeof label, "%s ours %zu", pair->job.name, pair->job.replies);
    CALLGRIND_DUMP_STATS_AT(label);
    CALLGRIND_ZERO_STATS;
    pair->peer(&pair->job);
    snprintf(label, sizeof label, "%s peer %zu", pair->job.name, pair->job.replies);
    CALLGRIND_DUMP_STATS_AT(label);
}

int main(int argc, char **argv)
{
    int counting = argc > 1 && strcmp(argv[1], "count") == 0;
    size_t i;

    add_all();
    if (!counting)
        printf("%-16s %13s %13s  %8s  (hiredis %d.%d.%d; medians of %d rounds, quartiles)\n", "per reply",
               "ours", "hiredis", "faster", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH, ROUNDS);
    for (i = 0; i < pairs_len; i++) {
        if (counting)
            count(&pairs[i]);
        else if (strncmp(pairs[i].job.name, "line.64k", 8) != 0) /* quadratic in the peer: seconds */
            measure_time(&pairs[i]);
    }
    return 0;
}
