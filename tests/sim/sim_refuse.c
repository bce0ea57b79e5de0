/* SPDX-License-Identifier: MIT */
/*
 * Servers that refuse commands: a user without some rights for a while (class acl), and any error reply of
 * resp/WIRE.md in place of any command (class replies). A refused command is not executed.
 */
#include "lock/lock_commands.h"
#include "tests/sim/sim.h"

#include <string.h>

/* A user who may not do this. */
static const struct limit {
    const char *denied, *only_key;
    uint8_t key_by_call;
    const char *words;
} limits[] = {
    {NULL, "{nightly}:2", 0, "only the second lock"},
    {NULL, "{nightly}:2", 1, "write only the second lock"},
    {NULL, "nightly", 0, "only the first lock"},
    {" set setnx psetex ", NULL, 0, "no SET"},
    {" eval evalsha ", NULL, 0, "no scripts"},
    {" eval evalsha watch delex delifeq ", NULL, 0, "nothing that compares"},
    {" pttl get ", NULL, 0, "no reads"},
    {" del pexpire getset ", NULL, 0, "no change of a key"},
    {" time info blpop ", NULL, 0, "only locks"},
};

/*
 * With this guard, and its canary, a server that refuses INFO or the canary counts at once (redlock.h). So
 * they are not refused there.
 */
static int counts_when_refused(const struct world *w)
{
    return w->guard == RDL_GUARD_IF_PERMITTED;
}

/* A refused method is remembered until the connection closes (R20), so it ends when the rights come back. */
static void disconnect(struct world *w, unsigned client, unsigned server)
{
    struct tcp *t = w->client[client].tcp[server];
    if (t && t->client_open == 2 && t->server_open)
        tcp_reset(w, t);
}

void refuse_by_acl(struct world *w, const struct planned *p)
{
    static const uint8_t without_info[] = {3, 4, 5, 7};
    uint8_t n = (uint8_t)(p->what % (sizeof limits / sizeof limits[0]));
    if (counts_when_refused(w))
        n = without_info[p->what % sizeof without_info];
    if (w->has_legacy) /* without scripts and WATCH it compares nothing (lock/LEGACY.md) */
        n = p->what % 2 ? 3 : 8;
    w->host[p->server].acl[p->client] = p->is_end ? 0 : (uint8_t)(n + 1);
    world_trace(w, "s%u: c%u may do %s", p->server, p->client, p->is_end ? "everything" : limits[n].words);
    if (p->is_end)
        disconnect(w, p->client, p->server);
}

void refuse_no_more(struct world *w, const struct planned *p)
{
    (void)p;
    for (unsigned c = 0; c < (unsigned)w->clients; c++)
        for (unsigned s = 0; s < (unsigned)w->conns; s++)
            disconnect(w, c, s);
}

const struct sim_features *refuse_features(const struct host *h, unsigned client)
{
    static struct sim_features limited;
    if (h->acl[client] == 0)
        return h->model.features;
    const struct limit *l = &limits[h->acl[client] - 1];
    limited = *h->model.features;
    if (l->denied)
        limited.denied = l->denied;
    limited.only_key = l->only_key;
    limited.key_by_call = l->key_by_call;
    return &limited;
}

/* ---------------------------------------------------------------- any error reply */

enum {
    INFO_REFUSED = 1, /* to INFO: that it is not permitted, or unknown */
    CLOSES = 2,
    TO_SET = 4,    /* only to SET, SETNX and scripts that acquire: the key has another type */
    TO_SCRIPT = 8, /* only to EVAL and EVALSHA */
    TO_LOGIN = 16, /* only to AUTH, SELECT, CLIENT and INFO */
    TO_BLPOP = 32
};

/* The rows of resp/WIRE.md. EXECABORT is the reply to an EXEC that any of them refuses. */
static const struct {
    const char *text;
    int kind;
} replies[] = {
    {"NOAUTH Authentication required.", 0},
    {"ERR operation not permitted", 0},
    {"WRONGPASS invalid username-password pair or user is disabled.", TO_LOGIN},
    {"ERR invalid password", TO_LOGIN},
    {"ERR Client sent AUTH, but no password is set", TO_LOGIN},
    {"DENIED Redis is running in protected mode", TO_LOGIN | CLOSES},
    {"NOPERM this user has no permissions to run the 'x' command", INFO_REFUSED},
    {"NOPERM this user has no permissions to access one of the keys used as arguments", INFO_REFUSED},
    {"ERR ACL failure in script: user lacks permissions", TO_SCRIPT},
    {"ERR The user executing the script can't run this command or subcommand", TO_SCRIPT},
    {"READONLY You can't write against a read only replica.", 0},
    {"LOADING Redis is loading the dataset in memory", 0},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", 0},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 0},
    {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", 0},
    {"MISCONF Errors writing to the AOF file: No space left on device", 0},
    {"OOM command not allowed when used memory > 'maxmemory'.", 0},
    {"NOREPLICAS Not enough good replicas to write.", 0},
    {"CLUSTERDOWN The cluster is down", 0},
    {"TRYAGAIN Multiple keys request during rehashing of slot", 0},
    {"MOVED 3999 127.0.0.1:6381", 0},
    {"ASK 3999 127.0.0.1:6381", 0},
    {"CROSSSLOT Keys in request don't hash to the same slot", 0},
    {"ERR Script attempted to access a non local key in a cluster node", TO_SCRIPT},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", TO_SET},
    {"ERR Operation against a key holding the wrong kind of value", TO_SET},
    {"ERR Key should be of string type", TO_SET},
    {"NOSCRIPT No matching script. Please use EVAL.", TO_SCRIPT},
    {"ERR unknown command 'x', with args beginning with: ", INFO_REFUSED},
    {"ERR unknown subcommand 'x'. Try CLIENT HELP.", INFO_REFUSED},
    {"ERR syntax error", INFO_REFUSED},
    {"ERR wrong number of arguments for 'x' command", INFO_REFUSED},
    {"ERR Unknown Redis command called from script script: x", TO_SCRIPT},
    {"ERR Error compiling script (new function): user_script:1: '=' expected near 'x'", TO_SCRIPT},
    {"ERR Could not find scripting engine 'lua'", TO_SCRIPT},
    {"ERR This instance has Lua scripting support disabled", TO_SCRIPT},
    {"ERR command eval not support for normal user", TO_SCRIPT},
    {"ERR Error running script (call to f_x): @user_script:1: -OOM command not allowed", TO_SCRIPT},
    {"ERR max number of clients reached", TO_LOGIN | CLOSES},
    {"ERR Script killed by user with SCRIPT KILL.", TO_SCRIPT},
    {"ERR Protocol error: invalid multibulk length", CLOSES},
    {"UNBLOCKED force unblock from blocking operation", TO_BLPOP},
    {"ERR invalid DB index", TO_LOGIN},
    {"ERR DB index is out of range", TO_LOGIN},
    {"ERR upstream failure", 0},
    {"ERR cannot read INFO now", INFO_REFUSED},
};

static int is_script(struct sim_arg a, const struct rdl_script *script)
{
    return (a.len == 40 && memcmp(a.data, script->sha, 40) == 0) ||
           (a.len == script->text_len && memcmp(a.data, script->text, a.len) == 0);
}

static int is_any(struct sim_arg name, const char *const *words)
{
    while (*words && !sim_arg_is(name, *words))
        words++;
    return *words != NULL;
}

/*
 * The old protocol compares by scripts or WATCH. If both are refused, it overwrites and deletes without a
 * comparison (lock/LEGACY.md). So other commands are refused there.
 */
static int may_refuse(const struct world *w, struct sim_arg name)
{
    static const char *const legacy[] = {"AUTH", "CLIENT", "SELECT", "INFO", "SETNX", "PTTL", "TIME", NULL};
    return !sim_arg_is(name, "DISCARD") && (!w->has_legacy || is_any(name, legacy));
}

/* What this command may be refused with: bits of the kinds. */
static int kinds_of(const struct world *w, const struct sim_arg *argv)
{
    static const char *const login[] = {"AUTH", "SELECT", "CLIENT", NULL};
    static const char *const scripts[] = {"EVAL", "EVALSHA", NULL};
    static const char *const set[] = {"SET", "SETNX", NULL};
    int refused = counts_when_refused(w) ? 0 : INFO_REFUSED;
    if (sim_arg_is(argv[0], "INFO"))
        return TO_LOGIN | CLOSES | refused;
    if (is_any(argv[0], login))
        return TO_LOGIN | CLOSES | INFO_REFUSED;
    if (is_any(argv[0], scripts)) {
        int acquires =
            is_script(argv[1], &rdl_script_acquire) || is_script(argv[1], &rdl_script_acquire_multi);
        return TO_SCRIPT | CLOSES | INFO_REFUSED | (acquires ? TO_SET : 0);
    }
    if (w->has_canary && (sim_arg_is(argv[0], "GET") || sim_arg_is(argv[0], "TIME"))) /* the canary's check */
        return CLOSES | refused;
    return CLOSES | INFO_REFUSED | (is_any(argv[0], set) ? TO_SET : 0) |
           (sim_arg_is(argv[0], "BLPOP") ? TO_BLPOP : 0);
}

int refuse_is_met(const struct host *h, unsigned client)
{
    return h->acl[client] != 0 || h->world->replies_permille != 0;
}

/* As rejectCommand of the server: a transaction ends, or will. */
static void spoil(struct sim_session *s, struct sim_arg name, struct sim_out *out, const char *text)
{
    if (!sim_arg_is(name, "EXEC")) {
        s->is_spoilt = s->in_multi && !sim_arg_is(name, "WATCH") && !sim_arg_is(name, "MULTI");
        sim_out_error(out, "%s", text);
        return;
    }
    sim_out_error(out, "EXECABORT Transaction discarded because of: %s", text);
    s->in_multi = s->is_spoilt = s->watched = s->queued = 0;
    s->queue_len = 0;
}

int refuse_command(struct host *h, struct tcp *t, const struct sim_arg *argv, struct sim_out *out)
{
    struct world *w = h->world;
    struct rng *r = &w->stream[FAULT_REPLIES];
    if (w->replies_permille == 0 || w->now >= w->opt.heal_us || t->session.ticket != 0 ||
        t->session.closing || out->cap - out->len < SIM_REPLY_MAX || !may_refuse(w, argv[0]) ||
        !rng_chance(r, w->replies_permille))
        return 0;
    size_t n = rng_below(r, sizeof replies / sizeof replies[0]);
    int kinds = kinds_of(w, argv);
    if (replies[n].kind & ~kinds)
        return 0;
    world_trace(w, "        s%u refuses the %.*s of c%u: %s", h->index, (int)argv[0].len,
                (const char *)argv[0].data, t->client, replies[n].text);
    spoil(&t->session, argv[0], out, replies[n].text);
    t->session.closing = (replies[n].kind & CLOSES) != 0;
    t->sent_readonly |= strncmp(replies[n].text, "READONLY", 8) == 0;
    return 1;
}
