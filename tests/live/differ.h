/* SPDX-License-Identifier: MIT */
/*
 * differ.h - the model server beside a real one: the same random commands, the same bytes.
 *
 * The commands are all that resp_cmd.c can write, and what our tests and older clients send. What a key has
 * left may differ by the time that passes between the two; all else must not.
 */
#ifndef RDL_TESTS_DIFFER_H
#define RDL_TESTS_DIFFER_H

#include <stdint.h>

#include "tests/sim/server.h"

/* What the model of the server on this port has, by the version it says it is; NULL: it cannot be asked. */
const struct sim_features *differ_kind(uint16_t port);

/*
 * Send both at least `commands` random commands, on an empty server of that kind. How many were compared, or
 * -1; then differ_text says what the difference was.
 */
long differ_run(uint16_t port, const struct sim_features *kind, uint64_t seed, long commands);
/* Bytes after which a server ends the connection: 1 if both answer the same, else as above. */
int differ_bytes(uint16_t port, const struct sim_features *kind, const char *bytes);
extern char differ_text[16384];

#endif
