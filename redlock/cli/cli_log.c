/* SPDX-License-Identifier: MIT */
/* A line of --log, as text or as an object of JSON. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <inttypes.h>
#include <time.h>

static int log_fd = -1, is_json;
static const char *log_lock; /* NULL: it is not known yet */
static const char *const *log_locks;
static size_t n_log_locks;

void rdl_cli_log_open(int fd, enum rdl_cli_log how, const char *lock)
{
    log_fd = fd;
    is_json = how == RDL_CLI_LOG_JSON;
    log_lock = lock;
}

void rdl_cli_log_several(const char *const *names, size_t n)
{
    log_locks = names;
    n_log_locks = n;
}

int rdl_cli_log_fd(void)
{
    return log_fd;
}

int rdl_cli_log_is_json(void)
{
    return is_json;
}

/* RFC 3339, UTC. */
static void add_time(struct rdl_cli_text *t)
{
    struct timespec now = {0, 0};
    struct tm utc;
    char seconds[32];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    rdl_cli_add(t, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
}

/* Text has their words alone. */
static void add_names(struct rdl_cli_text *t)
{
    rdl_cli_add(t, ",\"locks\":[");
    for (size_t k = 0; k < n_log_locks; k++) {
        rdl_cli_add(t, "%s", k > 0 ? "," : "");
        rdl_cli_add_json(t, log_locks[k]);
    }
    rdl_cli_add(t, "]");
}

void rdl_cli_log_begin(struct rdl_cli_text *t, const char *event)
{
    if (is_json)
        rdl_cli_add(t, "{\"event\":\"%s\",\"time\":\"", event);
    add_time(t);
    if (is_json)
        rdl_cli_add(t, "\"");
    else
        rdl_cli_add(t, " %s", event);
    if (log_lock != NULL)
        rdl_cli_log_string(t, "lock", log_lock);
    if (is_json && n_log_locks > 1)
        add_names(t);
}

static void add_name(struct rdl_cli_text *t, const char *name)
{
    rdl_cli_add(t, is_json ? ",\"%s\":" : " %s=", name);
}

void rdl_cli_log_number(struct rdl_cli_text *t, const char *name, uint64_t value)
{
    add_name(t, name);
    rdl_cli_add(t, "%" PRIu64, value);
}

void rdl_cli_log_string(struct rdl_cli_text *t, const char *name, const char *value)
{
    add_name(t, name);
    rdl_cli_add_json(t, value);
}

void rdl_cli_log_end(struct rdl_cli_text *t)
{
    rdl_cli_add(t, is_json ? "}\n" : "\n");
}
