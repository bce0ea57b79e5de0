/* SPDX-License-Identifier: MIT */
/*
 * Every error reply that a server can give to an acquire, made by a real server. Tested are whether it is
 * permanent, that nothing was done, and the message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock/lock_io.h"
#include "lock/lock_op.h"
#include "tests/sim/any_lock.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;
static struct client client, other;
static union any_lock own;
static struct rdl_lock *const lock = &own.lock;
static pid_t helper;

static const struct rdl_lock_options once = {.ttl_ms = 20000, .attempt_ms = 5000};
static const struct rdl_lock_options until_granted = {
    .ttl_ms = 20000, .wait_ms = 30000, .retry_ms = 1, .attempt_ms = 5000};

static void ok(const char *command)
{
    ck_assert_msg(live_command(&server, "%s", command)[0] == '+', "%s: %s", command, server.reply);
}

/* Until the server's INFO has this line. */
static void await_info(const char *section, const char *line)
{
    char command[32];

    snprintf(command, sizeof command, "INFO %s", section);
    live_await(&server, command, line);
}

/* ---------------------------------------------------------------- how each error is made, and fixed */

static void fill_memory(void)
{
    ok("CONFIG SET maxmemory 1");
}

static void free_memory(void)
{
    ok("CONFIG SET maxmemory 0");
}

static void demote(void)
{
    ok("REPLICAOF 127.0.0.1 1");
}

static void promote(void)
{
    ok("REPLICAOF NO ONE");
}

static void want_replicas(void)
{
    ok("CONFIG SET min-replicas-to-write 2");
}

static void want_none(void)
{
    ok("CONFIG SET min-replicas-to-write 0");
}

/* The snapshot cannot use its name: a directory has it. */
static void spoil_disk(void)
{
    char path[LIVE_PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/dump.rdb", server.dir);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    ok("CONFIG SET save \"3600 1\"");
    ok("BGSAVE");
    await_info("persistence", "rdb_last_bgsave_status:err");
    ck_assert_int_eq(rmdir(path), 0);
}

static void fix_disk(void)
{
    ok("BGSAVE");
    await_info("persistence", "rdb_last_bgsave_status:ok");
}

static void run_script(void)
{
    helper = live_fork();
    if (helper == 0) {
        live_command(&server, "EVAL \"while true do end\" 0");
        _exit(0);
    }
    live_await(&server, "PING", "-BUSY");
}

static void kill_script(void)
{
    ok("SCRIPT KILL");
    live_reap(helper);
}

/* A server serves its clients after every 2 MB it loads. */
static void load_slowly(void)
{
    live_command(&server, "EVAL \"for i=1,120 do redis.call('SET',i,string.rep('x',200000)) end\" 0");
    ok("SAVE");
    live_kill(&server);
    server.may_load = 1;
    live_restart(&server);
}

static void load_fast(void)
{
    live_command(&server, "CONFIG SET key-load-delay 0"); /* not before 7.0 */
    await_info("persistence", "\nloading:0");
}

static void fill_up(void)
{
    char url[256];

    ok("CONFIG SET maxclients 1");
    client_init(&other, live_url(&server, LIVE_V4, url, sizeof url));
    /* It may be refused itself, while the connection that set it is there. Releases would fill the queue. */
    while (client_ask(&other, &rdl_op_extend, "other") != RDL_ANSWER_ABSENT) {
    }
    live_await(&server, "PING", "-ERR max"); /* until it has seen our own connections end */
}

static void leave(void)
{
    client_die(&other);
    rdl_conn_closed(&other.conn, RDL_E_CLOSED);
    live_await(&server, "CONFIG SET maxclients 100", "+OK");
}

static void limit_user(void)
{
    ok("ACL SETUSER lk on >secret ~lock:* +get");
}

static void widen_user(void)
{
    ok("ACL SETUSER lk ~* +@all");
}

static void limit_keys(void)
{
    ok("ACL SETUSER lk on >secret ~lock:* +@all");
}

/* A single node, and the slot of k is all it has. */
static void serve_slot(void)
{
    ok("CONFIG SET cluster-require-full-coverage no");
    live_command(&server, "CLUSTER KEYSLOT k");
    live_command(&server, "CLUSTER ADDSLOTS %ld", strtol(server.reply + 1, NULL, 10));
    live_await(&server, "CLUSTER INFO", "cluster_state:ok");
}

static void put_list(void)
{
    live_command(&server, "LPUSH k x");
}

/* ---------------------------------------------------------------- the table */

static const char *const slow_loads[] = {"--rdbcompression", "no", "--key-load-delay", "50000", NULL};
static const char *const short_scripts[] = {"--lua-time-limit", "50", NULL};
static const char *const renamed[] = {LIVE_WITHOUT("SET"), NULL};
static const char *const clustered[] = {"--cluster-enabled", "yes", NULL};

enum effect { NOT_THERE, A_LIST }; /* what of the key is visible after the refusal */

static const struct row {
    const char *text; /* begins with this */
    int code;
    int is_for_good;
    void (*make)(void);
    void (*fix)(void); /* NULL with is_for_good */
    const char *login; /* in the URL */
    const char *path;  /* of the URL */
    const char *const *args;
    const char *password;
    enum any_mode mode;
    enum effect effect;
} rows[] = {
    {.text = "OOM command not allowed", .code = RDL_E_TRY_LATER, .make = fill_memory, .fix = free_memory},
    {.text = "READONLY You can't write", .code = RDL_E_READONLY, .make = demote, .fix = promote},
    {.text = "NOREPLICAS Not enough", .code = RDL_E_SERVER, .make = want_replicas, .fix = want_none},
    {.text = "MISCONF ", .code = RDL_E_TRY_LATER, .make = spoil_disk, .fix = fix_disk},
    {.text = "BUSY ", .code = RDL_E_TRY_LATER, .make = run_script, .fix = kill_script, .args = short_scripts},
    {.text = "LOADING ", .code = RDL_E_TRY_LATER, .make = load_slowly, .fix = load_fast, .args = slow_loads},
    {.text = "ERR max number of clients", .code = RDL_E_SERVER, .make = fill_up, .fix = leave},
    {.text = "NOAUTH Authentication required.", .code = RDL_E_AUTH, .is_for_good = 1, .password = "pw"},
    {.text = "WRONGPASS: wrong user or password",
     .code = RDL_E_AUTH,
     .is_for_good = 1,
     .password = "pw",
     .login = ":other@"},
    {.text = "WRONGPASS: wrong user or password", .code = RDL_E_AUTH, .is_for_good = 1, .login = "lk:s@"},
    {.text = "AUTH refused: the server has no password",
     .code = RDL_E_AUTH,
     .is_for_good = 1,
     .login = ":s@"},
    {.text = "NOPERM ", .code = RDL_E_PERM, .is_for_good = 1, .make = limit_user, .login = "lk:secret@"},
    {.text = "NOPERM ", .code = RDL_E_PERM, .is_for_good = 1, .make = limit_keys, .login = "lk:secret@"},
    {.text = "ERR DB index is out of range", .code = RDL_E_DB, .is_for_good = 1, .path = "/99"},
    {.text = "ERR unknown command", .code = RDL_E_UNSUPPORTED, .is_for_good = 1, .args = renamed},
    {.text = "CLUSTERDOWN Hash slot not served",
     .code = RDL_E_TRY_LATER,
     .fix = serve_slot,
     .args = clustered},
    {.text = "WRONGTYPE Operation against a key",
     .code = RDL_E_WRONGTYPE,
     .is_for_good = 1,
     .make = put_list,
     .mode = MODE_FENCED,
     .effect = A_LIST},
};

static const char *const words[] = {
    "the server cannot do this now",
    "the server is a read-only replica",
    "the server replied with an error",
    "the server cannot do this now",
    "the server cannot do this now",
    "the server cannot do this now",
    "the server replied with an error",
    "the login failed",
    "the login failed",
    "the login failed",
    "the login failed",
    "the user lacks permission for a command or a key (ACL)",
    "the user lacks permission for a command or a key (ACL)",
    "the server refused the database number",
    "the server does not support the command",
    "the server cannot do this now",
    "a key of the lock, or rdl:canary, holds another program's value",
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void begin_server(const struct row *r)
{
    char url[256];

    client_setup();
    memset(&server, 0, sizeof server);
    server.args = r->args;
    server.password = r->password;
    live_start(&server);
    if (r->make)
        r->make();
    snprintf(url, sizeof url, "redis://%s127.0.0.1:%d%s", r->login ? r->login : "", server.port,
             r->path ? r->path : "");
    client_init(&client, url);
}

static void init_lock(const struct row *r, const struct rdl_lock_options *opt)
{
    any_lock_init(&own, r->mode, opt, &client.conn, "k", 1);
}

static int is_reported(const struct row *r)
{
    return strncmp(rdl_conn_text(&client.conn), r->text, strlen(r->text)) == 0;
}

static void assert_reported(const struct row *r)
{
    ck_assert_msg(is_reported(r), "%s, not %s", rdl_conn_text(&client.conn), r->text);
}

static void assert_nothing_done(const struct row *r)
{
    if (r->effect == A_LIST)
        ck_assert_str_eq(live_command(&server, "TYPE k"), "+list\r\n");
    else if (r->effect == NOT_THERE)
        ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
}

/* One turn of an event loop. */
static uint64_t deadline_ms;

static int turn(void)
{
    ck_assert_msg(client_now() < deadline_ms, "no reply, or no new one");
    client_step(&client, client_now() + 20);
    return rdl_lock_step(lock, client_now());
}

/*
 * Before 7.0 the error of a call in a script follows "ERR Error running script (call to f_...", too late for
 * the part that is kept. Then it is a general server error, and is retried.
 */
static int is_wrapped(const struct row *r, int rc)
{
    int major = 0;
    const char *at = strstr(live_command(&server, "INFO server"), "redis_version:");

    if (r->effect != A_LIST || at == NULL || sscanf(at, "redis_version:%d", &major) != 1 || major >= 7)
        return 0;
    ck_assert_int_eq(rc, RDL_E_SERVER);
    ck_assert_ptr_nonnull(strstr(rdl_conn_text(&client.conn), "ERR Error running script (call to f_"));
    ck_assert_str_eq(live_command(&server, "TYPE k"), "+list\r\n");
    return 1;
}

START_TEST(each_error_reply_has_its_own_code)
{
    const struct row *r = &rows[_i];
    int rc;

    begin_server(r);
    init_lock(r, &once);
    rc = rdl_lock_acquire(lock, &client_platform);
    if (is_wrapped(r, rc)) {
        live_remove(&server);
        return;
    }
    ck_assert_msg(rc == r->code, "%s: %d (%s)", r->text, rc, rdl_conn_text(&client.conn));
    assert_reported(r);
    ck_assert_str_eq(rdl_strerror(rc), words[_i]);
    ck_assert_int_eq(rdl_is_permanent(rc), r->is_for_good);
    ck_assert_uint_eq(rdl_lock_remaining_ms(lock, client_now()), 0);
    if (r->is_for_good)
        assert_nothing_done(r);
    if (helper > 0)
        kill_script();
    live_remove(&server);
}
END_TEST

/*
 * An acquire without a limit fails at once for a permanent error; otherwise it gets the lock when the error
 * is fixed.
 */
START_TEST(an_acquire_waits_only_for_errors_that_can_pass)
{
    const struct row *r = &rows[_i];
    uint8_t entropy[RDL_ENTROPY_LEN] = {7};
    int rc;

    begin_server(r);
    init_lock(r, &once);
    if (r->effect == A_LIST && is_wrapped(r, rdl_lock_acquire(lock, &client_platform))) {
        live_remove(&server);
        return;
    }
    init_lock(r, &until_granted);
    deadline_ms = client_now() + 2 * (uint64_t)CLIENT_TIMEOUT_MS;
    rc = rdl_lock_acquire_begin(lock, entropy, client_now());
    while (rc == RDL_PENDING && !is_reported(r))
        rc = turn();
    assert_reported(r);
    if (!r->is_for_good) {
        ck_assert_int_eq(rc, RDL_PENDING);
        r->fix();
        assert_nothing_done(r);
    }
    while (rc == RDL_PENDING)
        rc = turn();
    ck_assert_int_eq(rc, r->is_for_good ? r->code : RDL_OK);
    live_remove(&server);
}
END_TEST

START_TEST(an_operator_can_fix_a_permanent_error)
{
    struct row r = {.make = limit_user, .login = "lk:secret@"};

    begin_server(&r);
    init_lock(&r, &until_granted);
    ck_assert_int_eq(rdl_lock_acquire(lock, &client_platform), RDL_E_PERM);
    widen_user();
    ck_assert_int_eq(rdl_lock_acquire(lock, &client_platform), RDL_OK);
    live_remove(&server);
}
END_TEST

Suite *suite_live_errors(void)
{
    Suite *suite = suite_create("live_errors");
    TCase *tc = suite_case(suite, "errors of real servers", NULL, NULL);

    tcase_add_loop_test(tc, each_error_reply_has_its_own_code, 0, ROWS);
    tcase_add_loop_test(tc, an_acquire_waits_only_for_errors_that_can_pass, 0, ROWS);
    tcase_add_test(tc, an_operator_can_fix_a_permanent_error);
    return suite;
}
