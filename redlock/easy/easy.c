/* SPDX-License-Identifier: MIT */
/* easy.c - a lock with its servers, connections and options in one structure, for POSIX hosts. */
#include "redlock/easy/easy_private.h"

#include "lock/lock_line.h"
#include "net/net_posix_process.h"
#include "net/net_posix_resolve.h"
#include "redlock/redlock_op.h"

#include <string.h>

enum {
    TTL_MIN_MS = 4 * RDL_ATTEMPT_MIN_MS,
    RESOLVE_MS = 1000 /* the least time from one query of the resolver to the next */
};

#define SPACES " \t\r\n"

/* ---------------------------------------------------------------- URLs */

/*
 * Copies the URL at *list, without spaces around it, and advances *list. valkey:// and the schemes of TLS
 * become redis://. Returns its length, 0 if there is none; cap or more: it does not fit.
 */
static size_t next_url(const char **list, char *out, size_t cap, uint8_t *is_tls)
{
    static const char plain[] = "redis://";
    const char *url = *list + strspn(*list, SPACES);
    size_t len = strcspn(url, SPACES);
    int tls;
    size_t scheme_len = rdl_line_scheme(url, &tls);
    size_t head = scheme_len > 0 ? sizeof plain - 1 : 0;

    *list = url + len;
    *is_tls = (uint8_t)tls;
    url += scheme_len;
    len -= scheme_len;
    if (head + len >= cap)
        return cap;
    memcpy(out, plain, head);
    memcpy(out + head, url, len);
    out[head + len] = '\0';
    return head + len;
}

void rdl_easy_share_address(struct rdl_easy *e)
{
    struct rdl_endpoint *ep = &e->hint_conn.endpoint;
    const struct rdl_bytes user = ep->user, password = ep->password;

    *ep = e->conns[0].endpoint;
    ep->user = user;
    ep->password = password;
}

void rdl_easy_resolve(struct rdl_easy *e, size_t i)
{
    struct rdl_posix_conn *p = &e->conns[i];
    int had_none = p->endpoint.family == RDL_UNRESOLVED;
    const char *why = NULL;
    enum rdl_resolved result = rdl_posix_resolve(&p->endpoint, 0, &why, NULL);

    e->unresolved[i] = result == RDL_RESOLVED ? NULL : why;
    if (result == RDL_RESOLVED_SEVERAL)
        e->unresolved[i] = "the name has several addresses, and a lock needs one server: use its address";
    if (result == RDL_RESOLVED && had_none)
        rdl_conn_end_pause(&p->conn);
    if (i == 0)
        rdl_easy_share_address(e);
}

/* Returns whether a server may have another address now. A conn uses it at its next connect. */
static int may_have_moved(const struct rdl_posix_conn *p)
{
    return p->endpoint.family == RDL_UNRESOLVED ||
           (rdl_conn_state(&p->conn) != RDL_CONN_READY && rdl_conn_error(&p->conn) != RDL_OK);
}

/* Resolves the names of servers that could not be reached. No query begins at deadline_ms or later. */
static void resolve_again(struct rdl_easy *e, uint64_t deadline_ms)
{
    size_t i;

    if (e->options.flags & RDL_EASY_RESOLVE_ONCE)
        return;
    for (i = 0; i < e->n; i++)
        if (e->is_name[i] && may_have_moved(&e->conns[i]) && rdl_now(&e->platform) < deadline_ms)
            rdl_easy_resolve(e, i);
    if (e->options.sentinel != NULL && rdl_now(&e->platform) < deadline_ms)
        e->options.sentinel->ops->resolve(e);
    e->resolved_ms = rdl_now(&e->platform);
}

/*
 * The poll of the lock's calls. Between two attempts it resolves names, once a second at most. The resolver
 * may block, so the releases of the failed attempt are sent before.
 */
static int poll_and_resolve(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                            unsigned flags)
{
    struct rdl_easy *e = ctx;
    uint64_t deadline_ms = rdl_redlock_pause_deadline(&e->lock);
    int rc = RDL_OK;

    if (deadline_ms != 0 && rdl_now(&e->platform) >= e->resolved_ms + RESOLVE_MS) {
        rc = e->sockets.poll(e->sockets.ctx, conns, n, 0, 0);
        resolve_again(e, deadline_ms);
    }
    return rc != RDL_OK ? rc : e->sockets.poll(e->sockets.ctx, conns, n, until_ms, flags);
}

/* The contexts of the servers come first, then that of the hint, then those of the Sentinel groups. */
void rdl_easy_set_stream(struct rdl_easy *e, struct rdl_posix_conn *p, size_t i)
{
    p->config.stream = e->options.stream;
    p->config.stream_ctx = (char *)e->options.stream_ctxs + i * e->options.stream_ctx_size;
}

/* Sets user and password by the options, for the connection of server i, or of the hint. */
static void set_login(struct rdl_easy *e, struct rdl_posix_conn *p, size_t i)
{
    const struct rdl_easy_options *o = &e->options;

    if (o->user != NULL)
        p->endpoint.user = (struct rdl_bytes){o->user, strlen(o->user)};
    if (o->password != NULL)
        p->endpoint.password = (struct rdl_bytes){o->password, strlen(o->password)};
    if (o->credentials == NULL)
        return;
    rdl_credentials_init(&e->credentials[i], &p->endpoint, o->credentials, o->credentials_ctx);
    p->config.login = &e->credentials[i].login;
}

int rdl_easy_set_server(struct rdl_easy *e, size_t i)
{
    struct rdl_posix_conn *p = &e->conns[i];

    e->servers[i].conn = &p->conn;
    set_login(e, p, i);
    if (!e->is_tls[i])
        return RDL_OK;
    if (e->options.stream == NULL)
        return rdl_easy_refuse_url(e, RDL_E_TLS, i,
                                   "it requests TLS, so set stream in struct rdl_easy_options");
    rdl_easy_set_stream(e, p, i);
    return RDL_OK;
}

/* Adds the Sentinel group at *urls, if it is one. Returns 1: it was; 0: it is another URL; or an error. */
static int add_group(struct rdl_easy *e, size_t i, const char **urls)
{
    static const char scheme[] = "-sentinel://";

    *urls += strspn(*urls, SPACES);
    if (strncmp(*urls + strcspn(*urls, "-:" SPACES), scheme, sizeof scheme - 1) != 0)
        return 0;
    if (e->options.sentinel == NULL)
        return rdl_easy_refuse_url(e, RDL_E_URL, i,
                                   "it is a Sentinel group, so set sentinel in struct rdl_easy_options");
    return e->options.sentinel->ops->add(e, i, urls);
}

static int add_server(struct rdl_easy *e, size_t i, const char *url)
{
    struct rdl_posix_conn *p = &e->conns[i];
    const char *why = NULL;
    int rc = rdl_posix_conn_init(p, url, &why);

    e->is_name[i] = rc == RDL_E_NO_ADDRESS;
    if (rc != RDL_OK && !e->is_name[i])
        return rdl_easy_refuse_url(e, rc, i, why);
    return rdl_easy_set_server(e, i);
}

/* Returns the number of servers, or an error. */
static int add_servers(struct rdl_easy *e, const char *urls)
{
    char url[RDL_POSIX_URL_MAX];
    size_t n = 0, len;
    uint8_t is_tls;
    int rc = RDL_OK;

    while (rc >= 0 && urls[strspn(urls, SPACES)] != '\0') {
        if (n == RDL_SERVERS_MAX)
            return rdl_easy_refuse(e, RDL_E_CONFIG, "more than 7 server URLs were given");
        rc = add_group(e, n, &urls);
        n += rc > 0;
        if (rc != 0)
            continue;
        len = next_url(&urls, url, sizeof url, &is_tls);
        if (len == sizeof url)
            return rdl_easy_refuse_url(e, RDL_E_SPACE, n, "the URL is too long");
        e->is_tls[n] = is_tls;
        rc = add_server(e, n++, url);
    }
    return rc < 0 ? rc : (int)n;
}

/* ---------------------------------------------------------------- setting up */

/* Gives the hint a connection of its own to server 0. */
static void set_hint(struct rdl_easy *e)
{
    struct rdl_posix_conn *p = &e->hint_conn;

    p->endpoint = e->conns[0].endpoint;
    p->config = e->conns[0].config;
    p->config.endpoint = &p->endpoint;
    p->config.queue = p->queue;
    set_login(e, p, RDL_SERVERS_MAX);
    if (p->config.stream != NULL)
        rdl_easy_set_stream(e, p, RDL_SERVERS_MAX);
    p->config.server_info = NULL;
    p->config.text = NULL;
    rdl_conn_init(&p->conn, &p->config);
    rdl_hint_init(&e->hint, &p->conn);
    rdl_redlock_set_hint(&e->lock, &e->hint);
}

static int init_lock(struct rdl_easy *e)
{
    const char *owner = e->options.owner;
    int rc;

    e->opt.guard = (e->options.flags & RDL_EASY_NO_RESTART_GUARD) ? RDL_GUARD_OFF : RDL_GUARD_IF_PERMITTED;
    e->opt.fencing = (e->options.flags & RDL_EASY_FENCE) ? &rdl_fencing : NULL;
    rc = rdl_redlock_init(&e->lock, &e->opt, e->servers, e->n, e->name, e->name_len);
    if (owner != NULL)
        (void)rdl_redlock_set_owner(&e->lock, &e->owner, owner, strlen(owner)); /* it was checked */
    if (e->options.flags & RDL_EASY_CANARY)
        rdl_redlock_set_canary(&e->lock, e->canaries);
    if (e->options.flags & RDL_EASY_WAKE_HINT)
        set_hint(e);
    return rc;
}

/* Returns RDL_OK if the ttl is possible. It is refused here, not by the lock, for the sake of the text. */
static int check_ttl(struct rdl_easy *e, uint32_t ttl_ms)
{
    if (ttl_ms > e->opt.max_ttl_ms)
        return rdl_easy_refuse(e, RDL_E_TTL, "ttl_ms is above max_ttl_ms, which is 30 s by default");
    if (ttl_ms < TTL_MIN_MS)
        return rdl_easy_refuse(e, RDL_E_TTL, "ttl_ms is below 20 ms");
    return RDL_OK;
}

static int set_options(struct rdl_easy *e, const struct rdl_easy_options *options)
{
    struct rdl_easy_options *o = &e->options;

    if (options != NULL)
        *o = *options;
    if (o->sentinel != NULL)
        o->sentinel->used = 0;
    if (o->flags & RDL_EASY_WAKE_FD)
        e->posix.wake_fd = o->wake_fd;
    if (o->max_ttl_ms == 0)
        o->max_ttl_ms = RDL_TTL_DEFAULT_MS;
    if (o->ttl_ms == 0)
        o->ttl_ms = o->max_ttl_ms < RDL_TTL_DEFAULT_MS ? o->max_ttl_ms : RDL_TTL_DEFAULT_MS;
    if (o->max_ttl_ms < TTL_MIN_MS || o->max_ttl_ms > RDL_TTL_MAX)
        return rdl_easy_refuse(e, RDL_E_TTL, "max_ttl_ms is not 20 to 2147483647 ms");
    e->opt.max_ttl_ms = o->max_ttl_ms;
    e->opt.lease.ttl_ms = o->ttl_ms; /* an adopted lock has an attempt time, too */
    e->opt.lease.retry_ms = RDL_EASY_RETRY_MS;
    if (o->owner != NULL && rdl_owner_check(o->owner, strlen(o->owner)) != RDL_OK)
        return rdl_easy_refuse(e, RDL_E_CONFIG, "an owner has 1 to 40 letters, digits and _@%+=:./- bytes");
    return check_ttl(e, o->ttl_ms);
}

static int open_all(struct rdl_easy *e, const char *urls, const char *name,
                    const struct rdl_easy_options *options)
{
    size_t len = strlen(name);
    size_t i;
    int n;

    if (len < 1 || len > RDL_NAME_MAX || strcmp(name, RDL_CANARY_KEY) == 0)
        return rdl_easy_refuse(e, RDL_E_NAME, "a lock's name has 1 to 128 bytes and is not " RDL_CANARY_KEY);
    memcpy(e->name, name, len + 1);
    e->name_len = (uint8_t)len;
    n = set_options(e, options);
    if (n < 0)
        return n;
    n = add_servers(e, urls != NULL ? urls : "");
    if (n < 0)
        return n;
    if (n == 0)
        return rdl_easy_refuse(e, RDL_E_CONFIG, "no server URL was given, such as redis://127.0.0.1:6379");
    e->n = (uint8_t)n;
    for (i = 0; i < e->n; i++)
        if (e->is_name[i])
            rdl_easy_resolve(e, i);
    n = init_lock(e);
    if (e->options.sentinel != NULL)
        e->options.sentinel->ops->begin(e);
    return n;
}

int rdl_easy_open(struct rdl_easy *e, const char *urls, const char *name,
                  const struct rdl_easy_options *options)
{
    memset(e, 0, sizeof *e);
    rdl_posix_init(&e->posix, &e->sockets);
    e->platform = e->sockets;
    e->platform.poll = poll_and_resolve;
    e->platform.ctx = e;
    e->opened = open_all(e, urls, name, options);
    return e->opened;
}

/* A structure that is all zero was never opened. The text of a rdl_easy_open() that failed remains. */
int rdl_easy_check_open(struct rdl_easy *e)
{
    if (e->opened == RDL_OK && e->n == 0)
        e->opened = rdl_easy_refuse(e, RDL_E_CONFIG, "it is not open: call rdl_easy_open first");
    return e->opened;
}

/* ---------------------------------------------------------------- what other threads see */

/*
 * The writer fills the entry that is not the current one, then makes it the current one. A reader that was
 * interrupted until its entry was written again sees another turn, and reads again. So neither
 * waits for the other, and a forked child finds no lock that is locked for ever.
 */
static uint32_t load(const uint32_t *number)
{
    return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *number, uint32_t value)
{
    __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
}

void rdl_easy_publish(struct rdl_easy *e, uint64_t until_ms, uint64_t fence, uint32_t process)
{
    uint32_t turn = load(&e->lease_turn) + 1;
    struct rdl_easy_lease *lease = &e->leases[turn % 2];

    store(&lease->until_ms[0], (uint32_t)until_ms);
    store(&lease->until_ms[1], (uint32_t)(until_ms >> 32));
    store(&lease->fence[0], (uint32_t)fence);
    store(&lease->fence[1], (uint32_t)(fence >> 32));
    store(&lease->process, process);
    store(&e->lease_turn, turn);
}

/* Publishes the lease of the last operation, which no thread renews. */
static void publish(struct rdl_easy *e)
{
    rdl_easy_publish(e, rdl_redlock_until_ms(&e->lock), rdl_redlock_fence(&e->lock), 0);
}

static uint64_t whole(const uint32_t halves[2])
{
    return load(&halves[0]) | (uint64_t)load(&halves[1]) << 32;
}

/* Returns one of the numbers of the current lease. A forked child has neither the thread nor the lease. */
static uint64_t published(const struct rdl_easy *e, int is_fence)
{
    const struct rdl_easy_lease *lease;
    uint32_t turn, process;
    uint64_t number;

    do {
        turn = load(&e->lease_turn);
        lease = &e->leases[turn % 2];
        number = whole(is_fence ? lease->fence : lease->until_ms);
        process = load(&lease->process);
    } while (load(&e->lease_turn) != turn);
    return process != 0 && process != rdl_posix_process() ? 0 : number;
}

uint32_t rdl_easy_remaining_ms(const struct rdl_easy *e)
{
    uint64_t until_ms = published(e, 0);
    uint64_t now_ms = rdl_posix_now_ms();

    return until_ms > now_ms ? (uint32_t)(until_ms - now_ms) : 0;
}

uint64_t rdl_easy_fence(const struct rdl_easy *e)
{
    return published(e, 1);
}

/* ---------------------------------------------------------------- the lock */

/* Returns RDL_OK if the lock is open and not held. */
static int check_free(struct rdl_easy *e)
{
    int rc = rdl_easy_check_open(e);

    if (rc != RDL_OK)
        return rc;
    if (rdl_easy_remaining_ms(e) > 0)
        return rdl_easy_refuse(e, RDL_E_HELD, rdl_strerror(RDL_E_HELD));
    return rdl_easy_explain(e, RDL_OK);
}

/* Ends the thread that renews the lock, if there is one. Then nothing refers to its structure. */
static void end_thread(struct rdl_easy *e)
{
    if (e->thread != NULL)
        e->end_thread(e->thread);
    e->thread = NULL;
    rdl_easy_publish(e, 0, 0, 0);
}

int rdl_easy_acquire(struct rdl_easy *e, uint32_t wait_ms)
{
    int has_end = wait_ms != 0 && wait_ms != RDL_WAIT_FOREVER;
    int rc = check_free(e);

    if (rc != RDL_OK)
        return rc;
    end_thread(e); /* it has lost the lease */
    if (rdl_redlock_remaining_ms(&e->lock, rdl_posix_now_ms()) > 0)
        rdl_redlock_cancel(&e->lock); /* the thread's work had to stop before the end of the lease */
    e->opt.lease.ttl_ms = e->options.ttl_ms;
    e->opt.lease.wait_ms = wait_ms;
    resolve_again(e, has_end ? rdl_now(&e->platform) + wait_ms : UINT64_MAX);
    rc = rdl_redlock_acquire(&e->lock, &e->platform);
    publish(e);
    return rdl_easy_explain(e, rc);
}

int rdl_easy_extend(struct rdl_easy *e, uint32_t ttl_ms)
{
    int rc = rdl_easy_check_open(e);

    if (rc != RDL_OK)
        return rc;
    if (e->thread != NULL)
        return rdl_easy_refuse(e, RDL_E_HELD, "a thread renews the lock (rdl_easy_start_thread)");
    if (ttl_ms == 0)
        ttl_ms = e->options.ttl_ms;
    rc = check_ttl(e, ttl_ms);
    if (rc != RDL_OK)
        return rc;
    e->opt.lease.ttl_ms = ttl_ms; /* an attempt is a part of it */
    rc = rdl_redlock_extend(&e->lock, &e->platform, ttl_ms);
    publish(e);
    return rdl_easy_explain(e, rc);
}

/* Sends the releases and reads no reply. */
static int release_at_once(struct rdl_easy *e)
{
    struct rdl_conn *conns[RDL_SERVERS_MAX];
    size_t i;

    rdl_redlock_cancel(&e->lock);
    for (i = 0; i < e->n; i++)
        conns[i] = &e->conns[i].conn;
    return e->platform.poll(e->platform.ctx, conns, e->n, 0, 0);
}

int rdl_easy_release(struct rdl_easy *e)
{
    int rc = rdl_easy_check_open(e);

    if (rc != RDL_OK)
        return rc;
    end_thread(e); /* from now on no thread sees a remaining time */
    if ((e->options.flags & RDL_EASY_RELEASE_AT_ONCE) &&
        rdl_redlock_remaining_ms(&e->lock, rdl_posix_now_ms()) > 0)
        return rdl_easy_explain(e, release_at_once(e));
    return rdl_easy_explain(e, rdl_redlock_release(&e->lock, &e->platform));
}

void rdl_easy_close(struct rdl_easy *e)
{
    uint64_t until_ms;
    size_t i;

    if (e->opened != RDL_OK || e->n == 0)
        return;
    (void)rdl_easy_release(e);
    until_ms = rdl_posix_now_ms() + rdl_redlock_attempt_ms(&e->lock);
    (void)rdl_redlock_drain(&e->lock, &e->platform, until_ms);
    for (i = 0; i < e->n; i++)
        rdl_posix_close(&e->conns[i].conn);
    if (e->options.flags & RDL_EASY_WAKE_HINT)
        rdl_posix_close(&e->hint_conn.conn);
    if (e->options.sentinel != NULL)
        e->options.sentinel->ops->close(e);
    e->n = 0; /* it is not open */
}

const char *rdl_easy_error(const struct rdl_easy *e)
{
    return e->error;
}

void rdl_easy_token(const struct rdl_easy *e, char out[RDL_TOKEN_TEXT_MAX])
{
    rdl_redlock_token(&e->lock, out);
}

int rdl_easy_adopt(struct rdl_easy *e, const char *token)
{
    int rc = check_free(e);

    if (rc != RDL_OK)
        return rc;
    if (e->thread != NULL) /* it may be using the lock */
        return rdl_easy_refuse(e, RDL_E_HELD,
                               "the lock is lost, but its thread has not ended: release it first");
    if (e->lock.until_ms == UINT64_MAX) /* it would be released */
        return rdl_easy_refuse(e, RDL_E_HELD, "the lock is adopted: extend or release it first");
    rc = rdl_redlock_adopt_owner(&e->lock, &e->owner, token, strlen(token));
    publish(e);
    return rdl_easy_explain(e, rc);
}
