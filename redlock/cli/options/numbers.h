/* SPDX-License-Identifier: MIT */
/* numbers.h - numbers and durations. */
#ifndef RDL_CLI_OPTIONS_NUMBERS_H
#define RDL_CLI_OPTIONS_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Reads "30" (seconds), "1.5s", ".5m", "500ms", "2h". Returns 0, or -1: not a time, or above max_ms. */
int rdl_cli_duration(const char *text, uint64_t max_ms, uint64_t *ms);

/* Writes a duration as people do: "40s", "1500ms". Returns out. */
enum { RDL_CLI_DURATION_MAX = 24 };
const char *rdl_cli_duration_text(uint64_t ms, char out[RDL_CLI_DURATION_MAX]);

/* Reads digits only, 0 to max (at most INT_MAX / 10 - 1). Returns 0 or -1. */
int rdl_cli_number(const char *text, int max, int *out);

/* Converts a wall clock to ms. Returns 0 if it is not set, or if its 32-bit time_t has overflowed. */
uint64_t rdl_cli_wall_ms(int64_t s, long ns);

#endif
