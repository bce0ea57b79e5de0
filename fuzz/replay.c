/* SPDX-License-Identifier: MIT */
/*
 * replay.c - runs a fuzz target over files, without a fuzzer: replay FILE... (no FILE: standard input).
 * So the corpus is part of `make check` with any compiler. AFL++ drives the same program, built by its
 * compiler (make fuzz-afl); then it takes its inputs from standard input alone, one after the other.
 */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };
static uint8_t input[INPUT_MAX];

static void run(FILE *f)
{
    size_t n = fread(input, 1, sizeof input, f);

    LLVMFuzzerTestOneInput(input, n);
}

static int replay(const char *name)
{
    FILE *f = fopen(name, "rb");

    if (f == NULL) {
        perror(name);
        return 1;
    }
    run(f);
    fclose(f);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    int i;

#ifdef __AFL_HAVE_MANUAL_CONTROL
    while (__AFL_LOOP(10000)) { /* one process for many inputs, if afl-fuzz started it */
        rewind(stdin);
        run(stdin);
    }
    return 0;
#endif
    if (argc < 2)
        run(stdin);
    for (i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    printf("%d inputs replayed\n", argc - 1);
    return failed;
}
