/* SPDX-License-Identifier: MIT */
/* The names on the servers under a prefix, each once, and the pattern for SCAN that finds them. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/options/options.h"
#include "redlock/redlock.h"
#include "resp/resp_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 32768 }; /* three times the most names */

static char *slots[SLOTS];

size_t rdl_cli_pattern(const char *prefix, char out[RDL_CLI_PATTERN_MAX])
{
    size_t n = 0;

    for (; *prefix != '\0'; prefix++) {
        if (strchr("*?[]^-\\", *prefix) != NULL)
            out[n++] = '\\';
        out[n++] = *prefix;
    }
    out[n++] = '*';
    return n;
}

/* Returns the slot of a name, or the free slot for it. */
static size_t slot_of(const char *name, size_t len)
{
    size_t i = rdl_hash(RDL_HASH_BASE, name, len) % SLOTS;

    while (slots[i] != NULL && strcmp(slots[i], name) != 0)
        i = (i + 1) % SLOTS;
    return i;
}

int rdl_cli_name_is_tick(const char *name)
{
    const char *brace = strchr(name, '}'), *mark = brace != NULL ? strstr(brace, RDL_CLI_ONCE) : NULL;

    if (mark == NULL)
        return 0;
    for (mark += strlen(RDL_CLI_ONCE), name = mark; *name >= '!' && *name <= '~'; name++) {
    }
    return *name == '\0' && name > mark;
}

void rdl_cli_names_add(struct rdl_cli_names *s, const char *name, size_t len)
{
    if (len == 0 || len > RDL_NAME_MAX || strcmp(name, RDL_CANARY_KEY) == 0 || rdl_cli_name_is_tick(name))
        return;
    if (strlen(name) != len) {
        s->has_nul = 1;
        return;
    }
    size_t i = slot_of(name, len);
    if (slots[i] != NULL)
        return;
    if (s->n < RDL_CLI_NAMES_MAX)
        slots[i] = strdup(name);
    if (slots[i] == NULL)
        s->is_full = 1;
    else
        s->name[s->n++] = slots[i];
}

static int ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), len = strlen(end);

    return n >= len && strcmp(name + n - len, end) == 0;
}

int rdl_cli_name_is_counter(const char *name)
{
    return ends_in(name, ":fence");
}

int rdl_cli_name_is_list(const char *name)
{
    return ends_in(name, ":wake");
}

static int compare(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

void rdl_cli_names_sort(struct rdl_cli_names *s)
{
    qsort(s->name, s->n, sizeof s->name[0], compare);
}
