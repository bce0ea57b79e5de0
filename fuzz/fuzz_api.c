/* SPDX-License-Identifier: MIT */
/*
 * fuzz_api.c - any calls in any order: up to five servers, locks of every kind over them, redlocks with
 * guards, canaries, hints and fencing, blocking functions, cuts, restarts, lies of the servers. What the
 * headers do not permit is left out; api/ has the details. Each object lives exactly as long as its comment
 * says. A lease is never longer than asked for. While the servers say the truth, the keys behind it live as
 * long. Every operation ends in time and nothing refers to a handle that is not in use. In the end every
 * queue is empty again, and all its room is free.
 *
 * Input: records of four bytes: the call, who does it or suffers it, and two arguments (api/api.h). The first
 * describes the world.
 */
#include "fuzz/api/api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record r;

    if (size < RECORD)
        return 0;
    r.op = data[0];
    r.who = data[1];
    r.a = data[2];
    r.b = data[3];
    world_start(r);
    handles_start();
    world.at = data + RECORD;
    world.end = data + size;
    while (world_next(&r, 0)) {
        if (r.op < WORLD_OPS)
            world_do(r);
        else
            handle_do(r);
        handles_check();
    }
    handles_end();
    world_drain();
    world_free();
    return 0;
}
