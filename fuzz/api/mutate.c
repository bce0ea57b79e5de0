/* SPDX-License-Identifier: MIT */
/*
 * mutate.c - changes an input by whole records, for libFuzzer alone. A byte that is inserted would turn all
 * calls after it into others.
 */
#include "fuzz/api/handle.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max, unsigned seed);

static uint32_t state;

static uint32_t pick(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return below == 0 ? 0 : (state >> 8) % below;
}

/* What often follows each other; handle 0 stands for any. */
static const uint8_t phrases[][3][RECORD] = {
    {{DO_ACQUIRE}, {DO_DRIVE_ALL}, {DO_STEP}},
    {{DO_ACQUIRE}, {DO_RUN, 0, 3, 250}, {DO_QUERY}},
    {{DO_EXTEND}, {DO_DRIVE_ALL}, {DO_STEP}},
    {{DO_EXTEND, 0, 2}, {DO_RUN, 0, 0, 100}, {DO_QUERY}},
    {{DO_RELEASE}, {DO_RUN, 0, 0, 100}, {DO_QUERY}},
    {{DO_BLOCK, 0, 0}, {DO_BLOCK, 0, 1, 2}, {DO_BLOCK, 0, 2}},
    {{DO_MAKE, 0, 0, 1}, {DO_BLOCK, 0, 0}, {DO_QUERY}},
    {{DO_MAKE, 0, REDLOCK, 1}, {DO_BLOCK, 0, 0}, {DO_QUERY}},
    {{DO_MAKE, 32, REDLOCK | 64, 2}, {DO_ACQUIRE}, {DO_RUN, 0, 8, 60}},
    {{DO_RUN, 0, 8, 60}, {DO_STEP}, {DO_QUERY}},
    {{DO_DRIVE, 0}, {DO_ERROR, 0, 1}, {DO_RECEIVE}},
    {{DO_SERVE, 0, 0, 1}, {DO_EXTEND}, {DO_RUN, 0, 6, 60}},
    {{DO_CUT, 0, 16}, {DO_ACQUIRE}, {DO_RUN, 0, 6, 60}},
    {{DO_RESTART, 0, 1}, {DO_EXTEND}, {DO_RUN, 0, 0, 100}},
    {{DO_RESTART, 1, 2}, {DO_EXTEND}, {DO_DRIVE, 2}},
    {{DO_OTHER, 0, 5, 148}, {DO_EXTEND}, {DO_RUN, 0, 0, 100}},
    {{DO_OTHER, 0, 5, 148}, {DO_RELEASE}, {DO_RUN, 0, 0, 100}},
    {{DO_SEND, 0, 255, 255}, {DO_ERROR, 0, 16}, {DO_RUN, 0, 0, 50}},
};

static size_t insert(uint8_t *data, size_t n, size_t max_n)
{
    size_t at = 1 + pick((uint32_t)n);
    const uint8_t(*phrase)[RECORD] = phrases[pick(sizeof phrases / sizeof phrases[0])];
    size_t k = pick(2) == 0 ? 3 : 1;
    size_t i;

    if (n + k > max_n || at > n)
        return n;
    memmove(data + (at + k) * RECORD, data + at * RECORD, (n - at) * RECORD);
    if (k == 3) {
        uint8_t handle = (uint8_t)pick(HANDLES);
        memcpy(data + at * RECORD, phrase, 3 * RECORD);
        for (i = 0; i < 3; i++)
            data[(at + i) * RECORD + 1] |= handle;
    } else {
        data[at * RECORD] = (uint8_t)pick(OPS);
        for (i = 1; i < RECORD; i++)
            data[at * RECORD + i] = (uint8_t)(pick(2) == 0 ? pick(256) : pick(8));
    }
    return n + k;
}

static size_t erase(uint8_t *data, size_t n)
{
    size_t at = 1 + pick((uint32_t)n - 1);
    size_t k = 1 + pick(pick(3) == 0 ? 8 : 1);

    if (at + k > n)
        return n;
    memmove(data + at * RECORD, data + (at + k) * RECORD, (n - at - k) * RECORD);
    return n - k;
}

/* Copies some records to another place in the input. */
static size_t repeat(uint8_t *data, size_t n, size_t max_n)
{
    uint8_t part[8 * RECORD];
    size_t from = 1 + pick((uint32_t)n - 1);
    size_t to = 1 + pick((uint32_t)n - 1);
    size_t k = 1 + pick(8);

    if (from + k > n || n + k > max_n)
        return n;
    memcpy(part, data + from * RECORD, k * RECORD);
    memmove(data + (to + k) * RECORD, data + to * RECORD, (n - to) * RECORD);
    memcpy(data + to * RECORD, part, k * RECORD);
    return n + k;
}

static size_t change(uint8_t *data, size_t n)
{
    uint8_t *record = data + pick((uint32_t)n) * RECORD;
    uint8_t *field = record + pick(RECORD);

    switch (pick(4)) {
    case 0:
        *field ^= (uint8_t)(1u << pick(8));
        break;
    case 1:
        *field = (uint8_t)pick(256);
        break;
    case 2:
        *field = (uint8_t)pick(8);
        break;
    default:
        (void)LLVMFuzzerMutate(record, RECORD, RECORD);
        break;
    }
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size_t n = size / RECORD;
    size_t max_n = max / RECORD;
    unsigned times;

    state = seed;
    if (n == 0 || max_n < 2)
        return LLVMFuzzerMutate(data, size, max);
    for (times = 1 + pick(4); times > 0; times--) {
        uint32_t how = pick(8);
        if (how < 3)
            n = insert(data, n, max_n);
        else if (how == 3 && n > 1)
            n = erase(data, n);
        else if (how == 4 && n > 1)
            n = repeat(data, n, max_n);
        else
            n = change(data, n);
    }
    return n * RECORD;
}

/* The first records of one, then the last of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max, unsigned seed)
{
    size_t head;
    size_t tail;

    state = seed;
    head = (1 + pick((uint32_t)(a_size / RECORD))) * RECORD;
    tail = pick((uint32_t)(b_size / RECORD)) * RECORD;
    if (head > a_size)
        head = a_size;
    if (head > max)
        head = max;
    if (tail > b_size)
        tail = 0;
    if (tail > max - head)
        tail = max - head;
    memcpy(out, a, head);
    memcpy(out + head, b + b_size - tail, tail);
    return head + tail;
}
