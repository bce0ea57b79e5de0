/* SPDX-License-Identifier: MIT */
/*
 * The doctor's checks of each server, in addition to INFO: its clock, its settings, and, with a key of its
 * own, every request that a lock with these options needs. The servers are checked in parallel.
 *
 * The commands of a lock are tried one by one before the scripts that call them. So if a script then fails,
 * the reason is a command that only the script calls. (Redis 7.0 does not report which command it was.)
 * Afterwards the key is deleted; if that is not permitted, it expires.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/doctor/checks.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/doctor/permissions.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LIFE_MS = 10000, CLOCKS = 3, TICK_MS = 1100, HINT_MS = 100 };

static struct rdl_cli_query *query;  /* whose conns these are */
static struct rdl_cli_checks *exams; /* the results for its servers */

static size_t index_of(const struct rdl_conn *c)
{
    return (size_t)(c - query->servers->conn);
}

static uint64_t now_ms(void)
{
    return rdl_now(&query->platform);
}

/* ---------------------------------------------------------------- the clock */

static uint64_t asked_ms;

/* Keeps the reading with the shortest round trip: the clock may be wrong by half of it. */
static int clock_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    struct rdl_cli_checks *x = &exams[index_of(c)];
    uint64_t now = now_ms();
    uint32_t took_ms = (uint32_t)(now - asked_ms);
    int64_t us;

    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2)
        return RDL_E_UNEXPECTED;
    if (c->reply_value < 0 || c->reply_second < 0) {
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_UNEXPECTED;
        return RDL_OK;
    }
    r->verdict = RDL_ANSWER_YES;
    us = c->reply_value * 1000000 + c->reply_second;
    x->is_ticking |= x->has_clock && us != x->clock_us;
    x->clock_us = us;
    if (x->has_clock && took_ms >= x->rtt_ms)
        return RDL_OK;
    x->has_clock = 1;
    x->rtt_ms = took_ms;
    x->clock_ms = us / 1000 - (int64_t)(asked_ms + took_ms / 2);
    return RDL_OK;
}

static const struct rdl_method clock_method = {
    .commands = RDL_COMMANDS(rdl_wire_time), .on_reply = clock_on_reply, .take = rdl_take_numbers};
static const struct rdl_op op_clock = {.methods = RDL_METHOD(&clock_method)};

/* ---------------------------------------------------------------- settings */

static struct {
    char value[40];
    size_t len;
} setting[RDL_SERVERS_MAX];

static void setting_write_args(struct rdl_slice *w, const char *const *commands,
                               const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                               const struct rdl_record *r)
{
    const struct rdl_args args = {"p", own, 1}; /* the name */

    (void)c;
    (void)r;
    rdl_slice_write_all(w, commands, &args);
}

/* Keeps the last item of the array, which is the value. */
static void setting_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    size_t i = index_of(c);

    (void)r;
    if (ev->kind != RDL_RESP_BULK)
        return;
    if (ev->first)
        setting[i].len = 0;
    for (size_t k = 0; k < ev->len && setting[i].len < sizeof setting[i].value - 1; k++)
        setting[i].value[setting[i].len++] = (char)ev->data[k];
    setting[i].value[setting[i].len] = '\0';
}

static int any_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_ERROR)
        return rdl_reply_error(c, r);
    r->verdict = RDL_ANSWER_YES;
    return RDL_OK;
}

static const struct rdl_method setting_method = {.commands = RDL_COMMANDS(rdl_wire_config_get),
                                                 .write_args = setting_write_args,
                                                 .on_reply = any_on_reply,
                                                 .take = setting_take};
static const struct rdl_op op_setting = {.methods = RDL_METHOD(&setting_method)};

/* ---------------------------------------------------------------- what a lock needs */

static const struct rdl_method pttl_method = {.commands = RDL_COMMANDS(rdl_wire_pttl),
                                              .on_reply = any_on_reply};
static const struct rdl_op op_pttl = {.methods = RDL_METHOD(&pttl_method)};

/* MGET of one key. */
static void mget_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                            const struct rdl_record *r)
{
    const struct rdl_bytes all[] = {{NULL, 2}, own[RDL_LETTER_K]};
    const struct rdl_args args = {"ak", all, 2};

    (void)c;
    (void)r;
    rdl_slice_write_all(w, commands, &args);
}

static const struct rdl_method mget_method = {
    .commands = RDL_COMMANDS(rdl_wire_mget), .write_args = mget_write_args, .on_reply = any_on_reply};
static const struct rdl_op op_mget = {.methods = RDL_METHOD(&mget_method)};

static const struct rdl_method getrange_method = {.commands = RDL_COMMANDS(rdl_wire_getrange),
                                                  .on_reply = any_on_reply};
static const struct rdl_op op_getrange = {.methods = RDL_METHOD(&getrange_method)};

/* NO: the key exists, and is not a list. */
static int list_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int is_list = strcmp(c->reply, "list") == 0 || strcmp(c->reply, "none") == 0;

    if (c->reply_kind != RDL_RESP_STATUS)
        return rdl_reply_error(c, r);
    r->verdict = is_list ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

static const struct rdl_method list_method = {.commands = RDL_COMMANDS(rdl_wire_type),
                                              .on_reply = list_on_reply};
static const struct rdl_op op_list = {.methods = RDL_METHOD(&list_method)};

static const struct rdl_method pexpire_method = {.commands = RDL_COMMANDS(rdl_wire_pexpire),
                                                 .on_reply = any_on_reply};
static const struct rdl_op op_pexpire = {.methods = RDL_METHOD(&pexpire_method)};

/* One operation for each method, so that every method is tried. */
static const struct rdl_op op_extend_script = {.methods = RDL_METHOD(&rdl_method_extend_script)};
static const struct rdl_op op_extend_watch = {.methods = RDL_METHOD(&rdl_method_extend_watch)};
static const struct rdl_op op_release_script = {.methods = RDL_METHOD(&rdl_method_release_script)};
static const struct rdl_op op_delex = {.methods = RDL_METHOD(&rdl_method_delex)};
static const struct rdl_op op_delifeq = {.methods = RDL_METHOD(&rdl_method_delifeq)};
static const struct rdl_op op_release_watch = {.methods = RDL_METHOD(&rdl_method_release_watch)};

enum {
    PX = RDL_CLI_NEED_PX,
    FENCE = RDL_CLI_NEED_FENCE,
    HINT = RDL_CLI_NEED_HINT,
    CANARY = RDL_CLI_NEED_CANARY,
    LEGACY = RDL_CLI_NEED_LEGACY,
    SEVERAL = RDL_CLI_NEED_SEVERAL,
    ONCE = RDL_CLI_NEED_ONCE,
    SLOTS = RDL_CLI_NEED_SLOTS,
    LOCK = PX | LEGACY,
    TRIAL = RDL_CLI_KEY_TRIAL,
    TRIAL_FENCE = RDL_CLI_KEY_TRIAL_FENCE,
    TRIAL_WAKE = RDL_CLI_KEY_TRIAL_WAKE,
    TICK = RDL_CLI_KEY_TICK
};

/* One check: its request, and what a refusal means. */
struct step {
    unsigned needs; /* sent if any of these is needed */
    const struct rdl_op *op;
    int key;     /* enum rdl_cli_key */
    int refused; /* the key that a refused key means; 0: this one */
    uint32_t life_ms;
    unsigned right;             /* the right that a refusal means; 0: none */
    unsigned within;            /* the right that is missing if only a script fails */
    unsigned releases, extends; /* the methods that a success proves */
    const char *value, *extra;  /* NULL: the token for value, none for extra */
};

static const char deadline[] = "1795000000", later[] = "1795000060";

static const struct step steps[] = {
    /* clang-format off */
    /* keys in use are only read */
    {.needs = LOCK | SEVERAL, .op = &rdl_op_found, .key = RDL_CLI_KEY_LOCK, .right = RIGHT(GET)},
    {.needs = FENCE, .op = &rdl_op_found, .key = RDL_CLI_KEY_FENCE, .right = RIGHT(GET)},
    {.needs = HINT, .op = &op_list, .key = RDL_CLI_KEY_WAKE, .right = RIGHT(TYPE)},
    {.needs = CANARY, .op = &rdl_cli_op_canary, .key = RDL_CLI_KEY_CANARY, .right = RIGHT(GET)},
    /* the commands, one by one */
    {.needs = PX, .op = &rdl_op_acquire, .key = TRIAL, .right = RIGHT(SET), .life_ms = LIFE_MS},
    {.needs = LEGACY, .op = &rdl_op_setnx, .key = TRIAL, .right = RIGHT(SETNX)},
    {.needs = LOCK | SEVERAL, .op = &rdl_op_found, .key = TRIAL, .right = RIGHT(GET)},
    {.needs = LOCK | SEVERAL, .op = &op_getrange, .key = TRIAL, .right = RIGHT(GETRANGE)},
    {.needs = SLOTS, .op = &op_mget, .key = TRIAL, .right = RIGHT(MGET)},
    {.needs = PX | SEVERAL, .op = &op_pttl, .key = TRIAL, .right = RIGHT(PTTL)},
    {.needs = PX | SEVERAL, .op = &op_pexpire, .key = TRIAL, .right = RIGHT(PEXPIRE), .life_ms = LIFE_MS},
    {.needs = LOCK | SEVERAL, .op = &rdl_op_delete, .key = TRIAL, .right = RIGHT(DEL)},
    /* each method; the second call of a script is by EVALSHA */
    {.needs = PX, .op = &rdl_op_acquire, .key = TRIAL, .right = RIGHT(SET), .life_ms = LIFE_MS},
    {.needs = LEGACY, .op = &rdl_op_setnx, .key = TRIAL, .right = RIGHT(SETNX)},
    {.needs = LOCK, .op = &op_release_script, .key = TRIAL, .right = RIGHT(EVAL),
     .releases = RDL_CLI_BY_SCRIPT},
    {.needs = LOCK, .op = &op_release_script, .key = TRIAL, .right = RIGHT(EVALSHA)},
    {.needs = PX, .op = &rdl_op_acquire, .key = TRIAL, .right = RIGHT(SET), .life_ms = LIFE_MS},
    {.needs = LEGACY, .op = &rdl_op_setnx, .key = TRIAL, .right = RIGHT(SETNX)},
    {.needs = LOCK, .op = &op_delex, .key = TRIAL, .releases = RDL_CLI_BY_DELEX},
    {.needs = PX, .op = &rdl_op_acquire, .key = TRIAL, .right = RIGHT(SET), .life_ms = LIFE_MS},
    {.needs = LEGACY, .op = &rdl_op_setnx, .key = TRIAL, .right = RIGHT(SETNX)},
    {.needs = LOCK, .op = &op_delifeq, .key = TRIAL, .releases = RDL_CLI_BY_DELIFEQ},
    {.needs = PX, .op = &rdl_op_acquire, .key = TRIAL, .right = RIGHT(SET), .life_ms = LIFE_MS},
    {.needs = LEGACY, .op = &rdl_op_setnx, .key = TRIAL, .right = RIGHT(SETNX)},
    {.needs = PX, .op = &op_extend_script, .key = TRIAL, .right = RIGHT(EVAL), .life_ms = LIFE_MS + 1000,
     .extends = RDL_CLI_BY_SCRIPT},
    {.needs = PX, .op = &op_extend_watch, .key = TRIAL, .right = BY_WATCH, .life_ms = LIFE_MS + 2000,
     .extends = RDL_CLI_BY_WATCH},
    {.needs = LOCK, .op = &op_release_watch, .key = TRIAL, .right = BY_WATCH, .releases = RDL_CLI_BY_WATCH},
    {.needs = LOCK, .op = &rdl_op_delete, .key = TRIAL},
    /* several locks: one is enough for their scripts, which go by EVAL where EVALSHA is refused */
    {.needs = SEVERAL, .op = &op_release_script, .key = TRIAL, .right = RIGHT(EVAL)},
    {.needs = SEVERAL, .op = &op_release_script, .key = TRIAL, .right = RIGHT(EVALSHA)},
    {.needs = SEVERAL, .op = &rdl_op_acquire_multi, .key = TRIAL, .right = RIGHT(EVAL),
     .within = RIGHT(PSETEX), .life_ms = LIFE_MS},
    {.needs = SEVERAL, .op = &rdl_op_extend_multi, .key = TRIAL, .right = RIGHT(EVAL),
     .life_ms = LIFE_MS + 1000},
    {.needs = SEVERAL, .op = &rdl_op_release_multi, .key = TRIAL, .right = RIGHT(EVAL)},
    {.needs = SEVERAL, .op = &rdl_op_delete, .key = TRIAL},
    /* --fence; the test counter expires */
    {.needs = FENCE, .op = &rdl_op_acquire_fenced, .key = TRIAL, .right = RIGHT(EVAL),
     .within = RIGHT(PSETEX), .life_ms = LIFE_MS, .refused = TRIAL_FENCE, .extra = "1 10000"},
    {.needs = FENCE, .op = &rdl_op_extend_fenced, .key = TRIAL, .right = RIGHT(EVAL),
     .life_ms = LIFE_MS + 1000, .refused = TRIAL_FENCE, .extra = "2 10000"},
    {.needs = FENCE, .op = &rdl_op_delete, .key = TRIAL_FENCE},
    {.needs = FENCE, .op = &rdl_op_delete, .key = TRIAL},
    /* --wake-hint */
    {.needs = HINT, .op = &rdl_op_acquire, .key = TRIAL, .right = RIGHT(SET), .life_ms = LIFE_MS},
    {.needs = HINT, .op = &rdl_op_release_hint, .key = TRIAL, .right = RIGHT(EVAL), .refused = TRIAL_WAKE},
    {.needs = HINT, .op = &rdl_op_wait_hint, .key = TRIAL, .right = RIGHT(BLPOP), .life_ms = HINT_MS,
     .refused = TRIAL_WAKE},
    {.needs = HINT, .op = &rdl_op_delete, .key = TRIAL_WAKE},
    {.needs = HINT, .op = &rdl_op_delete, .key = TRIAL},
    /* --canary; created like the canary */
    {.needs = CANARY, .op = &rdl_op_canary_make, .key = TRIAL, .right = RIGHT(SETNX), .life_ms = 1},
    {.needs = CANARY, .op = &rdl_op_delete, .key = TRIAL},
    /* --once; the test key is that of a tick */
    {.needs = ONCE, .op = &rdl_cli_op_once_record, .key = TICK, .right = RIGHT(SET), .life_ms = LIFE_MS,
     .value = RDL_CLI_ONCE_MARK "doctor"},
    {.needs = ONCE, .op = &rdl_op_found, .key = TICK, .right = RIGHT(GET)},
    {.needs = ONCE, .op = &rdl_op_delete, .key = TICK},
    /* --legacy */
    {.needs = LEGACY, .op = &rdl_op_setnx, .key = TRIAL, .right = RIGHT(SETNX), .value = deadline},
    {.needs = LEGACY, .op = &rdl_op_replace, .key = TRIAL, .right = RIGHT(EVAL), .within = RIGHT(SET),
     .value = later, .extra = deadline},
    {.needs = LEGACY, .op = &rdl_op_delete, .key = TRIAL},
    /* clang-format on */
};

/* ---------------------------------------------------------------- meaning of the replies */

/* Before Redis 7 the rest of the text is cut. Usually a right is missing. */
static int is_script_of_old(const char *text)
{
    return strncmp(text, "ERR Error running script", 24) == 0;
}

/*
 * Returns 1 if the text names another command: "unknown command 'GET'" (`GET` in Redis 5), "to run the 'set'
 * command". Then that command is refused, not the script, nor the command that is tried if scripts are
 * refused.
 */
static int names_another(const struct step *step, const char *text)
{
    static const char *const before[] = {"unknown command ", " to run the "};

    for (size_t k = 0; k < sizeof before / sizeof before[0] && (step->right & BY_EVAL) != 0; k++) {
        const char *name = strstr(text, before[k]);
        if (name == NULL)
            continue;
        name += strlen(before[k]);
        name += *name == '\'' || *name == '`';
        return strncasecmp(name, "eval", 4) != 0;
    }
    return 0;
}

/* Returns 1 if not the request was refused, but a command inside its script. */
static int is_in_script(const struct step *step, const char *text, int error)
{
    if (names_another(step, text))
        return 1;
    return error == RDL_E_PERM ? strncmp(text, "ERR ", 4) == 0 : strstr(text, "Unknown") != NULL;
}

/* Returns 1 if EVAL could not load the script: then the reply proves nothing about EVALSHA. */
static int is_never_sent(const struct step *step, const char *text)
{
    return step->right == RIGHT(EVALSHA) && strncmp(text, "NOSCRIPT", 8) == 0;
}

/*
 * Adds the missing right. In a script it is that of a command which only the script calls, unless an earlier
 * check failed.
 */
static void add_right(unsigned *rights, const struct step *step, int in_script)
{
    const unsigned tried = RIGHT(SET) | RIGHT(GET) | RIGHT(DEL) | RIGHT(PTTL) | RIGHT(PEXPIRE);

    if (!in_script)
        *rights |= step->right;
    else if ((*rights & tried) == 0)
        *rights |= step->within;
}

static void take_refusal(size_t i, const struct step *step)
{
    const char *text = rdl_conn_text(&query->servers->conn[i]);
    struct rdl_cli_checks *x = &exams[i];
    int error = is_script_of_old(text) ? RDL_E_PERM : query->req[i].error;

    if (step->right == 0 || is_never_sent(step, text))
        return;
    if (step->op == &rdl_op_replace && ((x->unknown | x->missing) & RIGHT(EVAL)) &&
        ((x->unknown | x->missing) & BY_WATCH)) /* both are missing */
        return;
    if (error == RDL_E_SERVER && (step->right & BY_EVAL))
        error = RDL_E_UNSUPPORTED; /* an unknown error: the other methods are tried, too */
    if (error == RDL_E_PERM && rdl_cli_is_database_refused(text)) {
        x->is_db_refused = 1;
    } else if (error == RDL_E_UNSUPPORTED) {
        add_right(&x->unknown, step, is_in_script(step, text, error));
    } else if (error == RDL_E_PERM && strstr(text, " key") != NULL) {
        x->keys |= 1u << (step->refused != 0 ? step->refused : step->key);
    } else if (error == RDL_E_PERM) {
        add_right(&x->missing, step, is_in_script(step, text, error));
    } else if (x->error == RDL_OK && step->right != BY_WATCH) {
        x->error = error;
        rdl_cli_secret_scrub(text, text, query->servers->endpoint[i].password, x->said, sizeof x->said);
    }
}

/* Returns 1 if the key holds a value that the lock cannot use. Scripts read the counter as a number. */
static int is_odd(const struct rdl_req *req, const struct step *step)
{
    size_t n = 0;

    if (step->op != &op_list && step->op != &rdl_op_found)
        return 0;
    if (req->answer != RDL_ANSWER_YES || step->key != RDL_CLI_KEY_FENCE)
        return req->answer == RDL_ANSWER_NO;
    while (n < req->text_len && req->text[n] >= '0' && req->text[n] <= '9')
        n++;
    return n == 0 || n < req->text_len;
}

static unsigned first_method(const unsigned methods[], unsigned refused)
{
    for (; refused & 1; methods++)
        refused >>= 1;
    return *methods;
}

/* Several locks have methods of their own (lock_multi.c). The first one that is not refused has worked. */
static void take_methods(size_t i, const struct step *step)
{
    static const unsigned releases[] = {RDL_CLI_BY_SCRIPT, RDL_CLI_BY_DELEX, RDL_CLI_BY_DELIFEQ};
    const uint8_t *refused = query->servers->conn[i].refused;

    if (step->op == &rdl_op_release_multi)
        exams[i].releases |= first_method(releases, refused[RDL_FAMILY_RELEASE_MULTI]);
    else if (step->op == &rdl_op_extend_multi)
        exams[i].extends |= refused[RDL_FAMILY_MULTI] & 1 ? RDL_CLI_BY_WATCH : RDL_CLI_BY_SCRIPT;
    exams[i].releases |= step->releases;
    exams[i].extends |= step->extends;
}

static void take_answer(size_t i, const struct step *step)
{
    const struct rdl_req *req = &query->req[i];
    struct rdl_cli_checks *x = &exams[i];

    if (is_odd(req, step))
        x->odd |= 1u << step->key;
    if (req->answer == RDL_ANSWER_ERROR)
        take_refusal(i, step);
    if (req->answer == RDL_ANSWER_YES) {
        x->has_granted |=
            step->op == &rdl_op_acquire || step->op == &rdl_op_setnx || step->op == &rdl_op_acquire_multi;
        take_methods(i, step);
    }
    x->has_foreign_canary |= step->op == &rdl_cli_op_canary && req->answer == RDL_ANSWER_NO;
    /* the request was sent, and got no reply */
    if ((req->answer == RDL_ANSWER_UNKNOWN || req->answer == RDL_ANSWER_UNSENT) && x->error == RDL_OK)
        x->error = req->error != RDL_OK ? req->error : RDL_E_TIMEOUT;
    if (step->op == &rdl_op_replace && req->answer == RDL_ANSWER_YES) /* by the first of these that works */
        x->extends = x->releases & RDL_CLI_BY_SCRIPT ? RDL_CLI_BY_SCRIPT : RDL_CLI_BY_WATCH;
    if (step->op == &rdl_op_release_hint)
        x->hints = req->answer == RDL_ANSWER_YES;
    /* the lock was released, and no client was woken */
    if (step->op == &rdl_op_wait_hint && req->answer == RDL_ANSWER_NO && x->hints &&
        (x->missing & RIGHT(EVAL)) == 0)
        x->missing |= RIGHT(TYPE) | RIGHT(RPUSH);
}

/* ---------------------------------------------------------------- queries */

struct trial {
    uint8_t chance[3];
    char value[RDL_VALUE_MAX];
};

/* Makes names that no other client has. Returns 0 if there are no random numbers. */
static int invent(struct trial *t)
{
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_token token = {{0}};

    if (query->platform.random(query->platform.ctx, entropy, sizeof entropy) != RDL_OK)
        return 0;
    rdl_token_begin(&token, entropy);
    rdl_token_hex(&token, t->value);
    memcpy(t->chance, entropy, sizeof t->chance);
    return 1;
}

/* Names a key for each URL, because two URLs may lead to one server. */
static void name_key(const struct trial *t, size_t i, const struct step *step, char *out, size_t cap)
{
    const char *lock = rdl_cli_name_of(query->o, (enum rdl_cli_key)step->key);
    char name[RDL_NAME_MAX + 1];

    snprintf(name, sizeof name, "%s" RDL_CLI_TRIAL "%02x%02x%02x%02x", lock, t->chance[0], t->chance[1],
             t->chance[2], (unsigned)i & 0xff);
    rdl_cli_key((enum rdl_cli_key)step->key, lock, name, out, cap);
}

static int is_asked(size_t i, const struct step *step)
{
    int is_trial = step->key == TRIAL || step->key == TRIAL_FENCE || step->key == TRIAL_WAKE;
    int is_named = is_trial || step->key == TICK || step->key == RDL_CLI_KEY_CANARY || query->o->lock != NULL;

    if (!exams[i].is_tried || !is_named || (is_trial && (exams[i].keys & 1u << TRIAL)))
        return 0;
    return (step->needs & HINT) == 0 || i == 0; /* the list is on the first server */
}

static int is_of_several(const struct rdl_op *op)
{
    return op == &rdl_op_acquire_multi || op == &rdl_op_extend_multi || op == &rdl_op_release_multi;
}

static void ask_all(const struct step *step, const struct trial *t)
{
    const struct rdl_bytes token = {t->value, sizeof t->value};
    static char texts[RDL_SERVERS_MAX][RDL_PEER_MAX];
    char key[1 + RDL_NAME_MAX + 9];
    struct rdl_command cmd;

    memset(&cmd, 0, sizeof cmd);
    cmd.op = step->op;
    cmd.value = step->value != NULL ? (struct rdl_bytes){step->value, strlen(step->value)} : token;
    cmd.extra = (struct rdl_bytes){step->extra, step->extra != NULL ? strlen(step->extra) : 0};
    cmd.ttl_ms = step->life_ms;
    cmd.until_ms = now_ms() + LIFE_MS;
    memset(query->req, 0, sizeof query->req);
    for (size_t i = 0; i < query->servers->n; i++) {
        if (!is_asked(i, step))
            continue;
        query->req[i].text = texts[i];
        name_key(t, i, step, key + 1, sizeof key - 1);
        key[0] = (char)strlen(key + 1); /* with several locks, the length precedes each name */
        cmd.name = is_of_several(step->op) ? (struct rdl_bytes){key, 1 + strlen(key + 1)}
                                           : (struct rdl_bytes){key + 1, strlen(key + 1)};
        rdl_cli_query_ask(query, i, &cmd);
    }
    rdl_cli_query_await();
    for (size_t i = 0; i < query->servers->n; i++) {
        rdl_conn_abandon(&query->servers->conn[i], &query->req[i]);
        rdl_conn_free_room(&query->servers->conn[i], &query->req[i]); /* the ttl ends a granted lock */
        take_answer(i, step);
        query->is_out[i] |= query->req[i].answer == RDL_ANSWER_UNKNOWN; /* no further replies either */
    }
}

/* Reads the other keys of several locks as the first one is read. */
static void look_at_others(const struct trial *t)
{
    struct step step = {.needs = SEVERAL, .op = &rdl_op_found, .right = RIGHT(GET)};

    for (size_t k = 1; k < query->o->n_names; k++) {
        step.key = (int)(RDL_CLI_KEY_OTHER + k - 1);
        ask_all(&step, t);
    }
}

/* Sends a request about the server to all. The replies are in query->req. */
static void ask_about(const struct rdl_op *op, const char *what)
{
    struct rdl_command cmd;

    memset(&cmd, 0, sizeof cmd);
    cmd.op = op;
    cmd.name = (struct rdl_bytes){what, strlen(what)};
    memset(query->req, 0, sizeof query->req);
    asked_ms = now_ms();
    for (size_t i = 0; i < query->servers->n; i++)
        rdl_cli_query_ask(query, i, &cmd);
    rdl_cli_query_await();
    for (size_t i = 0; i < query->servers->n; i++)
        rdl_conn_abandon(&query->servers->conn[i], &query->req[i]);
}

/* Reads the clocks. A server that does not reply gets no more requests. */
static void ask_clock(void)
{
    ask_about(&op_clock, "time");
    for (size_t i = 0; i < query->servers->n; i++) {
        if (query->req[i].answer == RDL_ANSWER_ERROR && query->req[i].error == RDL_E_PERM)
            exams[i].missing |= RIGHT(TIME);
        else if (query->req[i].answer == RDL_ANSWER_ERROR && query->req[i].error == RDL_E_UNSUPPORTED)
            exams[i].unknown |= RIGHT(TIME);
        else if (query->req[i].answer != RDL_ANSWER_YES && !query->is_out[i])
            rdl_cli_query_unseen(query, i);
        if (query->req[i].answer != RDL_ANSWER_YES && query->req[i].answer != RDL_ANSWER_ERROR)
            query->is_out[i] = 1;
    }
}

/* A clock that did not move may be stopped, or count whole seconds: only then does this wait. */
static void ask_clocks(void)
{
    size_t still = 0;

    for (int k = 0; k < CLOCKS; k++)
        ask_clock();
    for (size_t i = 0; i < query->servers->n; i++)
        still += exams[i].has_clock && !exams[i].is_ticking;
    if (still == 0)
        return;
    rdl_cli_query_pause(query, TICK_MS);
    ask_clock();
}

static void ask_settings(void)
{
    static const char *const names[] = {"appendfsync", "save"};

    for (size_t k = 0; k < 2; k++) {
        memset(setting, 0, sizeof setting);
        ask_about(&op_setting, names[k]);
        for (size_t i = 0; i < query->servers->n; i++) {
            struct rdl_cli_checks *x = &exams[i];
            if (query->req[i].answer != RDL_ANSWER_YES)
                continue;
            if (k == 0)
                snprintf(x->fsync, sizeof x->fsync, "%.*s", (int)sizeof x->fsync - 1, setting[i].value);
            else
                snprintf(x->save, sizeof x->save, "%.*s", (int)sizeof x->save - 1, setting[i].value);
            x->has_fsync |= k == 0;
            x->has_save |= k == 1;
        }
    }
}

/* Reads the run id, because the library's guard does not run here. */
static void name_run(size_t i)
{
    struct rdl_server_info *f = &query->servers->server_info[i];
    char digits[17]; /* the digits that a canary contains */

    if (query->host[i].run_id[0] == '\0')
        return;
    snprintf(digits, sizeof digits, "%.16s", query->host[i].run_id);
    f->run = strtoull(digits, NULL, 16);
    f->has |= RDL_INFO_RUN;
}

static void ask_canary(void)
{
    for (size_t i = 0; i < query->servers->n; i++)
        name_run(i);
    ask_about(&rdl_op_canary_look, RDL_CANARY_KEY);
    for (size_t i = 0; i < query->servers->n; i++) {
        exams[i].canary = query->req[i].answer;
        exams[i].canary_age_s = (uint64_t)query->req[i].value & RDL_CANARY_AGE_MAX;
    }
}

void rdl_cli_run_checks(struct rdl_cli_query *l, struct rdl_cli_checks checks[RDL_SERVERS_MAX])
{
    unsigned needs = rdl_cli_needs(l->o, l->servers);
    struct trial trial;

    query = l;
    exams = checks;
    ask_clocks();
    ask_settings();
    if (l->o->canary)
        ask_canary();
    for (size_t i = 0; i < l->servers->n; i++) {
        checks[i].is_there = !l->is_out[i];
        checks[i].is_db_refused = !checks[i].is_there && rdl_cli_is_database_refused(l->seen[i].said);
        checks[i].is_tried = checks[i].is_there && rdl_cli_host_holds_locks(&l->host[i]);
        checks[i].missing |= checks[i].is_there && !l->host[i].has_info ? RIGHT(INFO) : 0u;
    }
    if (!invent(&trial))
        return;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
        if (steps[k].needs & needs)
            ask_all(&steps[k], &trial);
    look_at_others(&trial);
    for (size_t i = 0; i < l->servers->n; i++) {
        struct rdl_cli_checks *x = &checks[i];
        x->is_tried &= x->has_granted;
        /* The old protocol uses DEL on servers where no method can compare. */
        if ((needs & LEGACY) && x->releases == 0 && ((x->missing | x->unknown) & RIGHT(DEL)) == 0)
            x->releases = RDL_CLI_BY_DEL;
    }
}
