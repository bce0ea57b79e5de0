/* SPDX-License-Identifier: MIT */
#include "redlock/cli/options/numbers.h"

#include <stdio.h>
#include <string.h>

/* Returns the unit in ms; 0: there is no such unit. */
static uint64_t scale_of(const char *unit)
{
    static const struct {
        const char *word;
        uint64_t ms;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].word) == 0)
            return units[i].ms;
    return 0;
}

int rdl_cli_duration(const char *text, uint64_t max_ms, uint64_t *ms)
{
    uint64_t whole = 0, part = 0, rest = 0, scale;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++) {
        if (whole > UINT64_MAX / 1000000000)
            return -1;
        whole = whole * 10 + (uint64_t)(*p - '0');
    }
    if (p == text && *p != '.')
        return -1;
    if (*p == '.') {
        uint64_t digit = 100000;
        for (p++; *p >= '0' && *p <= '9'; p++, digit /= 10) {
            part += digit * (uint64_t)(*p - '0');
            rest |= digit == 0 && *p != '0';
        }
        if (p[-1] == '.')
            return -1;
    }
    scale = scale_of(p);
    if (scale == 0)
        return -1;
    /* a fraction is rounded up to the next ms, so that 0.0001 is not "do not wait" */
    *ms = whole * scale + (part * scale + rest + 999999) / 1000000;
    return *ms > max_ms ? -1 : 0;
}

const char *rdl_cli_duration_text(uint64_t ms, char out[RDL_CLI_DURATION_MAX])
{
    static const struct {
        uint64_t ms;
        const char *unit;
    } units[] = {{3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
    const size_t last = sizeof units / sizeof units[0] - 1;
    size_t i = 0;

    /* the largest unit that divides it; minutes from 2 on, because most people write 60s */
    while (i < last && (ms % units[i].ms != 0 || ms / units[i].ms < (i == 1 ? 2 : 1)))
        i++;
    snprintf(out, RDL_CLI_DURATION_MAX, "%llu%s", (unsigned long long)(ms / units[i].ms), units[i].unit);
    return out;
}

uint64_t rdl_cli_wall_ms(int64_t s, long ns)
{
    const int64_t plausible_s = 1000000000; /* 2001 */

    if (s < plausible_s || s > UINT32_MAX)
        return 0;
    return (uint64_t)s * 1000 + (uint64_t)ns / 1000000;
}

int rdl_cli_number(const char *text, int max, int *out)
{
    int v = 0;
    if (*text == '\0')
        return -1;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p < '0' || *p > '9')
            return -1;
        v = v * 10 + (*p - '0');
        if (v > max)
            return -1;
    }
    *out = v;
    return 0;
}
