/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief easy_sentinel.h - Sentinel groups as servers of a lock (easy.h).
 *
 *     static struct rdl_easy_group group;
 *     static struct rdl_easy_sentinel sentinel = {&rdl_easy_sentinel, &group, 1, NULL, {NULL, 0}};
 *     struct rdl_easy_options options = {.sentinel = &sentinel};
 *
 *     rdl_easy_open(&lock, "redis-sentinel://h1,h2,h3/mymaster", "nightly", &options);
 *
 * A group is a master, its replicas, and sentinels that promote a replica when the master is down. It counts
 * as one server of the lock. Before each connection the lock asks a sentinel for the master's address, and
 * then the server itself whether it is the master.
 *
 * A promoted replica may lack the last writes, and so a lock. So a lock with a group always checks canaries
 * (struct rdl_canary), and INFO must be permitted. After a failover the group does not count for max_ttl_ms
 * and 1 s. During this time no client gets a lock on this group alone, and a lease on it ends, because it
 * cannot be extended. RDL_EASY_NO_RESTART_GUARD switches this off: then two clients may hold the lock after a
 * failover. What remains in any case: two failovers within that time, and an old master that still serves a
 * client. It is cut off together with the client, or it was frozen and the client's connection outlived that
 * (redlock/DESIGN.md, section 5).
 *
 * Each lock asks each sentinel at most twice a second. If sentinels name the master by a host name,
 * rdl_easy_acquire() resolves it.
 *
 * Only programs that name &rdl_easy_sentinel link this code.
 */
#ifndef RDL_EASY_SENTINEL_H
#define RDL_EASY_SENTINEL_H

#include "redlock/easy.h"

/** @addtogroup libredlock_easy
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of a Sentinel group. */
enum {
    RDL_SENTINELS_MAX = 5,       /**< most sentinels of a group */
    RDL_SENTINEL_URL_MAX = 768,  /**< bytes of a group's URL, with its NUL */
    RDL_SENTINEL_HOST_MAX = 253, /**< bytes of a host that a sentinel names */
    RDL_SENTINEL_TEXT_MAX = 400  /**< bytes of a text about a sentinel, with its NUL */
};

/** One Sentinel group. Its members are private. */
struct rdl_sentinel {
    /** @cond private */
    struct rdl_conn *server;     /* the connection to the master */
    struct rdl_endpoint *master; /* its endpoint, which gets the address that a sentinel names */
    struct rdl_endpoint *second; /* the endpoint of another conn to the master, which gets it, too; or NULL */
    struct rdl_conn *conn;       /* the connection to a sentinel */
    struct rdl_endpoint *at;     /* its endpoint */
    struct rdl_endpoint list[RDL_SENTINELS_MAX];
    uint64_t asked_ms[RDL_SENTINELS_MAX]; /* the last question to each: its beginning, then its end */
    uint64_t named_ms;                    /* when one last named the master */
    uint64_t checked_run;                 /* the run whose canary was checked last */
    const uint8_t *action;                /* of the lock: enum rdl_action; NULL: there is no lock */
    struct rdl_req req;                   /* the question to a sentinel */
    struct rdl_req look;                  /* the check of the canary */
    char canary[RDL_VALUE_MAX];           /* what it found */
    const char *name;                     /* of the group */
    uint8_t n;
    uint8_t names;                         /* bits of the sentinels whose hosts are names */
    uint8_t turn;                          /* index of the sentinel that is asked, or next */
    uint8_t failed;                        /* sentinels in a row that did not name the master */
    uint8_t state;                         /* enum sentinel_state */
    uint8_t is_named;                      /* one did for the connection that is being opened */
    uint8_t is_unproved;                   /* it did, and no connection has been ready since */
    uint8_t is_host_name;                  /* it named the master by a host name */
    uint8_t is_waiting;                    /* a request waits until a sentinel names the master again */
    uint8_t is_moved;                      /* the server's connection must end: the master is elsewhere */
    uint8_t has_canary;                    /* the lock checks canaries */
    uint8_t is_tls;                        /* connections to the master use TLS, by its host name */
    uint8_t is_sentinel_tls;               /* those to the sentinels do */
    char text[RDL_SENTINEL_TEXT_MAX];      /* why the last of those that failed did */
    char reply[RDL_SENTINEL_HOST_MAX + 1]; /* the host that is being read */
    char host[RDL_SENTINEL_HOST_MAX + 3];  /* the master's, for its endpoint */
    char url[RDL_SENTINEL_URL_MAX];        /* texts of the URL, with the password */
    /** @endcond */
};

/** A Sentinel group with its connection to the sentinels: 4 KB. */
struct rdl_easy_group {
    /** @cond private */
    struct rdl_sentinel sentinel;
    struct rdl_posix_conn asks;
    uint64_t resolved_ms; /* when the master's name was last resolved */
    /** @endcond */
};

/** The functions of easy.h for groups (private). */
struct rdl_easy_sentinel_ops;

/** They, for struct rdl_easy_sentinel. */
extern const struct rdl_easy_sentinel_ops rdl_easy_sentinel;

/** The Sentinel groups of one lock, for struct rdl_easy_options. All clients of the lock list the same. */
struct rdl_easy_sentinel {
    const struct rdl_easy_sentinel_ops *ops; /**< &rdl_easy_sentinel */
    struct rdl_easy_group *groups;           /**< memory for them, of this lock alone until its close */
    size_t n;                                /**< number of groups: URLs that begin with redis-sentinel:// */
    const char *password;                    /**< of the sentinels, NUL-terminated; NULL: none */
    /** @cond private */
    struct rdl_platform inner; /* the platform without groups */
    size_t used;               /* groups in use */
    /** @endcond */
};

/** @} */

#ifdef __cplusplus
}
#endif

#endif
