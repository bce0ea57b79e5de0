/* SPDX-License-Identifier: MIT */
/* A line of --log, as text or as a JSON object. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/log.h"
#include "redlock/cli/output/json.h"
#include "redlock/cli/output/text.h"

#include <string.h>
#include <time.h>

static int log_fd = -1, is_json;
static const char *log_lock; /* NULL: not known yet */
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

/* Adds the time as in RFC 3339, in UTC. */
static void add_time(struct rdl_cli_text *t)
{
    struct timespec now = {0, 0};
    struct tm utc;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    rdl_cli_add(t, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                utc.tm_hour, utc.tm_min, utc.tm_sec, now.tv_nsec / 1000000);
}

/* Adds the names of several locks; only JSON has them as an array. */
static void add_names(struct rdl_cli_json *j)
{
    rdl_cli_json_open(j, "locks", '[');
    for (size_t k = 0; k < n_log_locks; k++)
        rdl_cli_json_string(j, NULL, log_locks[k]);
    rdl_cli_json_close(j);
}

static void begin_json(struct rdl_cli_json *j, char *line, size_t cap, const char *event, const char *time)
{
    rdl_cli_json_begin(j, line, cap);
    rdl_cli_json_string(j, "event", event);
    rdl_cli_json_string(j, "time", time);
}

static void begin_text(struct rdl_cli_json *j, char *line, size_t cap, const char *event, const char *time)
{
    memset(j, 0, sizeof *j);
    j->text.out = line;
    j->text.cap = cap;
    j->is_text = 1;
    rdl_cli_add(&j->text, "%s %s", time, event);
}

void rdl_cli_log_begin(struct rdl_cli_json *j, char *line, size_t cap, const char *event)
{
    char time[64];
    struct rdl_cli_text t = {time, sizeof time, 0};

    add_time(&t);
    (is_json ? begin_json : begin_text)(j, line, cap, event, time);
    if (log_lock != NULL)
        rdl_cli_json_string(j, "lock", log_lock);
    if (is_json && n_log_locks > 1)
        add_names(j);
}

void rdl_cli_log_end(struct rdl_cli_json *j)
{
    rdl_cli_json_end(j);
    rdl_cli_add(&j->text, "\n");
}
