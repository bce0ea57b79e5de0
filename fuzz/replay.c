/* SPDX-License-Identifier: MIT */
/*
 * replay.c - runs a fuzz target over files, without a fuzzer: replay FILE... (no FILE: standard input).
 * So the corpus is part of `make check` with any compiler, and AFL++ can drive a target.
 */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };
static uint8_t input[INPUT_MAX];

static int replay(FILE *f, const char *name)
{
    size_t n;

    if (f == NULL) {
        perror(name);
        return 1;
    }
    n = fread(input, 1, sizeof input, f);
    fclose(f);
    LLVMFuzzerTestOneInput(input, n);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    int i;

    if (argc < 2)
        return replay(stdin, "standard input");
    for (i = 1; i < argc; i++)
        failed |= replay(fopen(argv[i], "rb"), argv[i]);
    printf("%d inputs replayed\n", argc - 1);
    return failed;
}
