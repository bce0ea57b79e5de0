/* SPDX-License-Identifier: MIT */
/*
 * resolve_again.c - resolves names again: a server may have a new address when it comes back.
 *
 * The resolver blocks, perhaps for minutes, while the lease must be renewed. So a process makes the query,
 * writes the result into a pipe and ends; its SIGCHLD wakes the loop. A process that takes too long is
 * killed. The result is used for the next connection only: a connected server keeps its address.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/resolve_again.h"
#include "lock/lock_op.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/resolve.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    EVERY_MS = 5000,    /* least time between two lookups of a name, and before the first */
    AGAIN_MS = 1000,    /* the same, if no name server replied */
    PATIENCE_MS = 10000 /* a resolver tries its second name server after 5 s */
};

/* The result that the process writes; less than PIPE_BUF: written whole or not at all. */
struct answer {
    enum rdl_resolved found;
    struct rdl_cli_ip ip;
    char text[RDL_ADDRESSES_MAX]; /* NONE, LATER: the reason; SEVERAL: all addresses */
};

enum { TOLD_NONE = 1, TOLD_SEVERAL = 2, TOLD_TAKEN = 4 };

/* The lookup of a server whose URL has a name. */
static struct lookup {
    pid_t pid;   /* until the process is reaped; 0: none */
    int is_open; /* fd is open: the result is pending */
    int fd;
    uint64_t at_ms;         /* pending: its deadline; otherwise: when the next may begin; 0: just started */
    int has_next;           /* it is not connected, and its name last resolved to next */
    struct rdl_cli_ip next; /* may be its current address */
    unsigned printed;       /* messages printed since its last connection */
    char why[RDL_ADDRESSES_MAX]; /* why it has no address; for servers.unresolved */
} lookups[RDL_SERVERS_MAX];

/* ---------------------------------------------------------------- the process */

/* A library may write to standard error, which must not be a socket of the resolver. */
static void fill_stdio(void)
{
    int fd = open("/dev/null", O_RDWR);

    while (fd >= 0 && fd < STDERR_FILENO)
        fd = dup(fd);
}

static void ask(struct rdl_endpoint ep, int any, pid_t parent, int fd)
{
    struct answer a;
    const char *why = "";

    rdl_cli_set_verbosity(RDL_CLI_QUIET);
    rdl_cli_process_ends_with(parent, "redlock-lookup");
    alarm(PATIENCE_MS / 1000 + 1);
    rdl_cli_process_holds_only(fd);
    fill_stdio();
    memset(&a, 0, sizeof a);
    a.found = rdl_cli_address_find(&ep, any, &why, a.text);
    if (a.found == RDL_RESOLVED_NONE || a.found == RDL_RESOLVED_LATER)
        snprintf(a.text, sizeof a.text, "%s", why);
    a.ip = rdl_cli_address_of(&ep);
    _exit(write(fd, &a, sizeof a) == (ssize_t)sizeof a ? 0 : 1);
}

/* Returns 0, or -1 with errno. */
static int start(struct lookup *u, const struct rdl_endpoint *ep, int any)
{
    pid_t parent = getpid(), pid = -1;
    int fd[2];

    if (pipe(fd) != 0)
        return -1;
    if (fcntl(fd[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd[0], F_SETFL, O_NONBLOCK) == 0)
        pid = rdl_cli_process_fork();
    if (pid == 0)
        ask(*ep, any, parent, fd[1]);
    close(fd[1]);
    if (pid < 0) {
        close(fd[0]);
        return -1;
    }
    u->pid = pid;
    u->fd = fd[0];
    u->is_open = 1;
    return 0;
}

static void stop(struct lookup *u)
{
    if (u->is_open)
        close(u->fd);
    u->is_open = 0;
    rdl_cli_process_kill(&u->pid);
}

void rdl_cli_lookup_reaped(pid_t pid)
{
    for (size_t i = 0; i < RDL_SERVERS_MAX; i++)
        if (lookups[i].pid == pid)
            lookups[i].pid = 0;
}

void rdl_cli_lookup_end(void)
{
    for (size_t i = 0; i < RDL_SERVERS_MAX; i++) {
        stop(&lookups[i]);
        rdl_cli_process_end(&lookups[i].pid);
    }
}

/* ---------------------------------------------------------------- the result */

/* Returns 1 if the connection failed or was lost; 0 while it is made for the first time. */
static int is_lost(const struct rdl_conn *c)
{
    return rdl_conn_state(c) != RDL_CONN_READY && rdl_conn_error(c) != RDL_OK;
}

/* Returns the time until its name is looked up again. */
static uint32_t pause_ms(const struct rdl_cli_servers *s, size_t i)
{
    return s->unresolved[i] != NULL && s->may_resolve[i] ? AGAIN_MS : EVERY_MS;
}

/* Returns 1 the first time. */
static int is_news(struct lookup *u, unsigned what)
{
    int is_new = (u->printed & what) == 0;

    u->printed |= what;
    return is_new;
}

/* Prints what happens if the name has no address, or one that cannot be used. */
static void print_stays(const struct rdl_cli_servers *s, size_t i, const char *why)
{
    const char *where = rdl_cli_where(s, i);
    char had[RDL_CLI_ADDRESS_MAX];

    rdl_cli_address_words(&s->endpoint[i], had);
    if (s->endpoint[i].family == RDL_UNRESOLVED)
        rdl_cli_print_warning("%s %s: the server is not used", where, why);
    else
        rdl_cli_print_warning("%s %s: redlock still tries %s", where, why, had);
}

/* Returns 1 if the name did not resolve before for a temporary reason, and now is known not to exist. */
static int is_refuted(struct rdl_cli_servers *s, size_t i, const struct answer *a)
{
    if (!s->may_resolve[i] || a->found != RDL_RESOLVED_NONE)
        return 0;
    snprintf(lookups[i].why, sizeof lookups[i].why, "%s", a->text);
    s->unresolved[i] = lookups[i].why;
    s->may_resolve[i] = 0;
    return 1;
}

/* If the name never had an address, that was printed at the start. */
static void took_none(struct rdl_cli_servers *s, size_t i, const struct answer *a)
{
    char why[RDL_ADDRESSES_MAX + 100];
    int is_new = s->endpoint[i].family != RDL_UNRESOLVED || is_refuted(s, i, a);

    if (a->found == RDL_RESOLVED_SEVERAL) {
        snprintf(why, sizeof why, "now has more than one address (%s), which may be different servers",
                 a->text);
        if (is_news(&lookups[i], TOLD_SEVERAL))
            print_stays(s, i, why);
        return;
    }
    snprintf(why, sizeof why, "now has no address (%s)", a->text);
    if (is_new && is_news(&lookups[i], TOLD_NONE))
        print_stays(s, i, why);
}

/* Reads the result, if it has arrived, or ends a lookup whose time is over. */
static void hear(struct rdl_cli_servers *s, size_t i, uint64_t now_ms)
{
    struct lookup *u = &lookups[i];
    struct answer a;
    ssize_t n = read(u->fd, &a, sizeof a);

    if (n < 0 && now_ms < u->at_ms)
        return;
    if (n == (ssize_t)sizeof a) {
        close(u->fd);
        u->is_open = 0;
        rdl_cli_process_reap(&u->pid);
    } else {
        stop(u);
        memset(&a, 0, sizeof a);
        a.found = RDL_RESOLVED_LATER;
        snprintf(a.text, sizeof a.text, "%s", n < 0 ? "timed out" : "the lookup process was ended");
    }
    u->at_ms = now_ms + pause_ms(s, i);
    u->has_next = a.found == RDL_RESOLVED;
    u->next = a.ip;
    if (!u->has_next && is_lost(&s->conn[i]))
        took_none(s, i, &a);
}

/* ---------------------------------------------------------------- moving */

static void log_move(const char *where, const char *from, const char *to)
{
    static char line[RDL_CLI_LOG_MAX];
    struct rdl_cli_json j;

    if (rdl_cli_log_fd() < 0)
        return;
    rdl_cli_log_begin(&j, line, sizeof line, "moved");
    rdl_cli_json_string(&j, "where", where);
    if (from != NULL)
        rdl_cli_json_string(&j, "from", from);
    rdl_cli_json_string(&j, "to", to);
    rdl_cli_log_put(&j);
}

/* Uses the new address. A connection that is being made to the old one is ended. */
static void move(struct rdl_cli_servers *s, size_t i)
{
    struct rdl_endpoint *ep = &s->endpoint[i];
    const char *where = rdl_cli_where(s, i);
    char from[RDL_CLI_ADDRESS_MAX], to[RDL_CLI_ADDRESS_MAX];
    int had = ep->family != RDL_UNRESOLVED;

    rdl_cli_address_words(ep, from);
    rdl_cli_address_take(ep, &lookups[i].next);
    if (i == 0) /* the connection of the wake hint is to the same server */
        rdl_cli_address_take(&s->endpoint[s->n], &lookups[i].next);
    rdl_cli_address_words(ep, to);
    if (had)
        rdl_cli_print_warning("%s has moved from %s to %s", where, from, to);
    else
        rdl_cli_print_warning("%s now has an address: %s", where, to);
    log_move(where, had ? from : NULL, to);
    lookups[i].printed = 0;
    if (rdl_conn_state(&s->conn[i]) == RDL_CONN_OPENING)
        rdl_conn_shut(&s->conn[i], rdl_conn_error(&s->conn[i]));
}

/* Returns the endpoint with the address that its name now has. */
static struct rdl_endpoint next_of(const struct rdl_cli_servers *s, size_t i, int goes)
{
    struct rdl_endpoint ep = s->endpoint[i];

    if (goes)
        rdl_cli_address_take(&ep, &lookups[i].next);
    return ep;
}

/* Returns another server that has, or gets, this address; i: none. */
static size_t who_else(const struct rdl_cli_servers *s, size_t i, const int goes[RDL_SERVERS_MAX])
{
    const struct rdl_endpoint mine = next_of(s, i, 1);

    for (size_t k = 0; k < s->n; k++) {
        const struct rdl_endpoint other = next_of(s, k, goes[k]);
        if (k != i && rdl_posix_is_same_address(&mine, &other))
            return k;
    }
    return i;
}

static void print_taken(const struct rdl_cli_servers *s, size_t i, size_t by)
{
    char why[RDL_CLI_WHERE_MAX + 100];

    snprintf(why, sizeof why, "now has the address of %s, and a server has only one vote",
             rdl_cli_where(s, by));
    if (is_news(&lookups[i], TOLD_TAKEN))
        print_stays(s, i, why);
}

/*
 * Moves all servers that may move, at once: two servers that swapped addresses have each other's address. A
 * server that may not move keeps its address. Another one may then not get that address, so this repeats
 * until nothing changes.
 */
static void settle(struct rdl_cli_servers *s)
{
    int goes[RDL_SERVERS_MAX] = {0}, is_settled = 0;
    size_t by[RDL_SERVERS_MAX] = {0};

    for (size_t i = 0; i < s->n; i++) {
        const struct rdl_endpoint next = next_of(s, i, 1);
        enum rdl_conn_phase state = rdl_conn_state(&s->conn[i]);
        goes[i] = lookups[i].has_next && (state == RDL_CONN_CLOSED || state == RDL_CONN_OPENING) &&
                  !rdl_posix_is_same_address(&next, &s->endpoint[i]);
        by[i] = i;
    }
    while (!is_settled) {
        is_settled = 1;
        for (size_t i = 0; i < s->n; i++) {
            if (goes[i])
                by[i] = who_else(s, i, goes);
            if (goes[i] && by[i] != i)
                goes[i] = is_settled = 0;
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        if (goes[i])
            move(s, i);
        else if (by[i] != i)
            print_taken(s, i, by[i]);
    }
}

/* ---------------------------------------------------------------- when */

/* Updates a lookup by the state of its server's connection. */
static void start_lookup(struct rdl_cli_servers *s, size_t i)
{
    if (s->endpoint[i].family != RDL_UNRESOLVED && rdl_conn_error(&s->conn[i]) != RDL_E_NO_ADDRESS)
        s->unresolved[i] = NULL;
    if (is_lost(&s->conn[i]))
        return;
    lookups[i].has_next = 0;
    lookups[i].printed = 0;
}

static void begin(struct rdl_cli_servers *s, size_t i, uint64_t now_ms)
{
    struct lookup *u = &lookups[i];

    if (s->is_new_name[i])
        u->at_ms = now_ms;
    s->is_new_name[i] = 0;
    if (u->at_ms == 0)
        u->at_ms = now_ms + pause_ms(s, i);
    if (u->pid > 0 || now_ms < u->at_ms || !is_lost(&s->conn[i]))
        return;
    if (start(u, &s->endpoint[i], s->any_address) == 0) {
        u->at_ms = now_ms + PATIENCE_MS;
        return;
    }
    rdl_cli_print_verbose("cannot start a process to look up %s: %s", s->endpoint[i].host, strerror(errno));
    u->at_ms = now_ms + EVERY_MS;
}

uint64_t rdl_cli_lookup_turn(struct rdl_cli_servers *s, uint64_t now_ms)
{
    uint64_t at_ms = UINT64_MAX;

    for (size_t i = 0; i < s->n; i++) {
        struct lookup *u = &lookups[i];
        if (!s->is_name[i])
            continue;
        if (u->is_open)
            hear(s, i, now_ms);
        else
            rdl_cli_process_reap(&u->pid);
        start_lookup(s, i);
        begin(s, i, now_ms);
        /* a killed process reports its end by a signal */
        if ((u->is_open || (u->pid == 0 && is_lost(&s->conn[i]))) && u->at_ms < at_ms)
            at_ms = u->at_ms;
    }
    settle(s);
    return at_ms;
}
