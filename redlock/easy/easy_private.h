/* SPDX-License-Identifier: MIT */
/* easy_private.h - for the files easy*.c only. */
#ifndef RDL_EASY_PRIVATE_H
#define RDL_EASY_PRIVATE_H

#include "redlock/easy_sentinel.h"

/* Keeps rc's text for rdl_easy_error(), none if rc is not negative. Returns rc. */
int rdl_easy_explain(struct rdl_easy *e, int rc);
/* The same where an argument is wrong: `what` is the text, after the lock's name. */
int rdl_easy_refuse(struct rdl_easy *e, int rc, const char *what);
/* The same where URL i, from 0, is wrong. */
int rdl_easy_refuse_url(struct rdl_easy *e, int rc, size_t i, const char *why);
/* Sets up what server i has beside its endpoint. Returns RDL_OK, or an error. */
int rdl_easy_set_server(struct rdl_easy *e, size_t i);
/* Gives a connection the stream of the options, with ctx number i. */
void rdl_easy_set_stream(struct rdl_easy *e, struct rdl_posix_conn *p, size_t i);
/* Resolves the name of server i. A server without an address is one that cannot be reached. */
void rdl_easy_resolve(struct rdl_easy *e, size_t i);
/* Gives the hint's connection, which has a login of its own, the address of server 0. */
void rdl_easy_share_address(struct rdl_easy *e);
/* Returns RDL_OK if the lock is open. */
int rdl_easy_check_open(struct rdl_easy *e);
/*
 * Sets what other threads see of the lease. Only one thread at a time may call it: the one of
 * rdl_easy_start_thread() while it runs, otherwise the program's.
 */
void rdl_easy_publish(struct rdl_easy *e, uint64_t until_ms, uint64_t fence, uint32_t process);

/* What easy.c calls for Sentinel groups, so that it does not link them. */
struct rdl_line;
struct rdl_easy_sentinel_ops {
    /* Adds the group at the beginning of *urls as server i. Returns 1, and *urls after it, or an error. */
    int (*add)(struct rdl_easy *e, size_t i, const char **urls);
    /* Begins, when the lock is set up. */
    void (*begin)(struct rdl_easy *e);
    /* Resolves the names of sentinels that cannot be reached. May block. */
    void (*resolve)(struct rdl_easy *e);
    void (*close)(struct rdl_easy *e);
    /* Adds "mymaster (10.0.0.2:6379)" if server i is a group. Returns 1 if it is. */
    int (*add_where)(struct rdl_line *line, const struct rdl_easy *e, size_t i);
    /* Returns why no sentinel of server i has named the master; "": one has, or server i is no group. */
    const char *(*text)(const struct rdl_easy *e, size_t i);
};

#endif
