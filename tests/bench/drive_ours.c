/* SPDX-License-Identifier: MIT */
/*
 * drive_ours.c DRIVER PORT... - libredlock: rdl_lock on one server, rdl_redlock on more.
 *
 * DRIVER is sockets or uring; hint is sockets, with the wake hint. The restart guard is off, because
 * otherwise servers that were just started do not count.
 */
#define _GNU_SOURCE
#include "lock/lock_hint.h"
#include "net/net_uring.h"
#include "redlock/redlock.h"
#include "tests/bench/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char key[DRIVE_KEY_MAX + 24];
    struct rdl_server servers[DRIVE_SERVERS_MAX];
    union {
        struct rdl_lock one;
        struct rdl_redlock many;
    } lock;
};

static const char *driver;
static struct rdl_posix sockets;
static struct rdl_uring uring;
static struct rdl_platform platform;
static struct rdl_posix_conn conns[DRIVE_SERVERS_MAX], second;
static struct rdl_hint hint;
static struct rdl_redlock_options opt;
static struct entry *entries;
static int n_servers;

static int connect_to(struct rdl_posix_conn *c, int port)
{
    char url[64];

    snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
    return rdl_posix_conn_init(c, url, NULL);
}

static int set_up(struct entry *e)
{
    int has_hint = strcmp(driver, "hint") == 0, rc;

    if (n_servers == 1) {
        rc = rdl_lock_init(&e->lock.one, &opt.lease, &conns[0].conn, e->key, strlen(e->key));
        if (rc == RDL_OK && has_hint)
            rdl_lock_set_hint(&e->lock.one, &hint);
        return rc;
    }
    for (int i = 0; i < n_servers; i++)
        e->servers[i].conn = &conns[i].conn;
    rc = rdl_redlock_init(&e->lock.many, &opt, e->servers, (size_t)n_servers, e->key, strlen(e->key));
    if (rc == RDL_OK && has_hint)
        rdl_redlock_set_hint(&e->lock.many, &hint);
    return rc;
}

static int open_ours(const struct drive_options *o)
{
    const char *why = NULL;

    n_servers = o->n;
    opt.lease.ttl_ms = opt.max_ttl_ms = DRIVE_TTL_MS;
    opt.lease.wait_ms = o->is_waiting ? 1000 : 0;
    opt.lease.retry_ms = o->is_waiting ? 50 : 0;
    opt.guard = RDL_GUARD_OFF;
    rdl_posix_init(&sockets, &platform);
    if (strcmp(driver, "uring") == 0 && rdl_uring_init(&uring, &platform, &why) != RDL_OK) {
        fprintf(stderr, "%s\n", why);
        return -1;
    }
    for (int i = 0; i < n_servers; i++) {
        if (connect_to(&conns[i], o->ports[i]) != RDL_OK)
            return -1;
    }
    if (connect_to(&second, o->ports[0]) != RDL_OK)
        return -1;
    rdl_hint_init(&hint, &second.conn);
    entries = calloc(o->locks, sizeof *entries);
    for (size_t i = 0; entries != NULL && i < o->locks; i++) {
        drive_key(o, i, entries[i].key);
        if (set_up(&entries[i]) != RDL_OK)
            return -1;
    }
    return entries != NULL ? 0 : -1;
}

static int acquire(size_t i)
{
    struct entry *e = &entries[i];

    return (n_servers == 1 ? rdl_lock_acquire(&e->lock.one, &platform)
                           : rdl_redlock_acquire(&e->lock.many, &platform)) == RDL_OK;
}

static int release(size_t i)
{
    struct entry *e = &entries[i];

    return (n_servers == 1 ? rdl_lock_release(&e->lock.one, &platform)
                           : rdl_redlock_release(&e->lock.many, &platform)) == RDL_OK;
}

int main(int argc, char **argv)
{
    static const struct drive client = {open_ours, acquire, release};

    driver = argc > 1 ? argv[1] : "sockets";
    return drive_main(&client, argc - 2, argv + 2);
}
