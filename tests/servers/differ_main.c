/* SPDX-License-Identifier: MIT */
/*
 * differ - compare the model server with the real one that listens on this port of 127.0.0.1.
 *
 *     differ PORT [SEED [COMMANDS]]
 *
 * The server must be empty. Exit status: 0 not a byte differs; 1 the difference is printed; 64 bad usage.
 */
#include "tests/fixtures/differ.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long port = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    long seed = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    long commands = argc > 3 ? strtol(argv[3], NULL, 10) : 100000;
    if (port < 1 || port > 65535 || argc > 4) {
        fprintf(stderr, "usage: differ PORT [SEED [COMMANDS]]\n");
        return 64;
    }
    const struct sim_features *kind = differ_kind((uint16_t)port);
    if (!kind) {
        fprintf(stderr, "differ: no server there of which there is a model\n");
        return 1;
    }
    long n = differ_run((uint16_t)port, kind, (uint64_t)seed, commands);
    if (n < 0) {
        puts(differ_text);
        return 1;
    }
    printf("%ld commands, seed %ld: as the model of %s answers\n", n, seed, kind->version);
    return 0;
}
