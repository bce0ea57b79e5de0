/* SPDX-License-Identifier: MIT */
/*
 * counterexamples_main.c - each assumption of README.md, broken on real servers.
 *
 *     build/counterexamples [WORD]
 *
 * For each assumption, or those whose title contains WORD: a run in which it does not hold ends with two
 * holders, or with a late write. A second run with the protection ends otherwise. First it prints the table,
 * then what happened. The exit status is 1 if a run ends otherwise than the table says.
 * The order of events decides, not the time. Runs mostly wait, so several run at once, each in a process.
 */
#define _GNU_SOURCE
#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

/* A short lease expires in a run; a long one lasts until its end, and is as long as max_ttl. */
enum { N = 3, SHORT_MS = 2000, LONG_MS = 8000, OLD_S = LONG_MS / 1000 + 2 };

static struct live_server server[N];

/* A line of what happened. */
__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("    ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

/* ---------------------------------------------------------------- hosts */

/* A host with its own connections, its own clock and its own source of unique bytes. */
struct host {
    const char *name;
    int n;
    struct rdl_posix_conn conns[N];
    struct rdl_server servers[N];
    struct rdl_canary canaries[N];
    struct rdl_redlock_options opt;
    struct rdl_redlock lock;
    struct rdl_posix posix;
    struct rdl_platform system, platform; /* of this system; and with the host's faults */
    uint64_t since_ms;
    unsigned percent; /* the rate of its clock since then */
    int repeats;      /* its unique bytes are always the same */
};

static struct host a, b, c;

static uint64_t now_of_host(void *ctx)
{
    const struct host *h = (const struct host *)ctx;

    return h->since_ms + (h->system.now_ms(h->system.ctx) - h->since_ms) * h->percent / 100;
}

/* A clock that lags only makes this return early. */
static int poll_of_host(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    const struct host *h = (const struct host *)ctx;

    return h->system.poll(h->system.ctx, conns, n, until_ms, flags);
}

static int random_of_host(void *ctx, void *buf, size_t len)
{
    const struct host *h = (const struct host *)ctx;

    if (!h->repeats)
        return h->system.random(h->system.ctx, buf, len);
    memset(buf, 7, len);
    return RDL_OK;
}

static void set_rate(struct host *h, unsigned percent)
{
    h->since_ms = h->system.now_ms(h->system.ctx);
    h->percent = percent;
}

static void host_add(struct host *h, const char *url)
{
    ck_assert_int_eq(rdl_posix_conn_init(&h->conns[h->n], url, NULL), RDL_OK);
    h->servers[h->n].conn = &h->conns[h->n].conn;
    h->n++;
}

/* A host that names these servers. Its restart guard is the default. */
static void host_init(struct host *h, const char *name, int first, int n, uint32_t ttl_ms)
{
    char url[LIVE_PATH_MAX + 40];

    h->name = name;
    h->opt.lease.ttl_ms = ttl_ms;
    h->opt.lease.attempt_ms = ttl_ms / 4;
    h->opt.max_ttl_ms = LONG_MS;
    rdl_posix_init(&h->posix, &h->system);
    h->platform = (struct rdl_platform){
        .poll = poll_of_host, .now_ms = now_of_host, .random = random_of_host, .ctx = h};
    set_rate(h, 100);
    for (int i = first; i < first + n; i++)
        host_add(h, live_url(&server[i], LIVE_V4, url, sizeof url));
}

/* A and B name all servers. None of these restarts, so no guard has to wait until they are old enough. */
static void two_hosts(uint32_t ttl_a_ms)
{
    live_start_all(server, N);
    host_init(&a, "A", 0, N, ttl_a_ms);
    host_init(&b, "B", 0, N, LONG_MS);
    a.opt.guard = b.opt.guard = RDL_GUARD_OFF;
}

static int acquire(struct host *h, int has_canary)
{
    int rc = rdl_redlock_init(&h->lock, &h->opt, h->servers, (size_t)h->n, RDL_NAME("nightly"));

    ck_assert_int_eq(rc, RDL_OK);
    if (has_canary)
        rdl_redlock_set_canary(&h->lock, h->canaries);
    rc = rdl_redlock_acquire(&h->lock, &h->platform);
    if (rc != RDL_OK)
        note("%s acquires: %s", h->name, rdl_strerror(rc));
    else if (h->opt.fencing)
        note("%s acquires: it holds the lock, fencing token %d", h->name, (int)rdl_redlock_fence(&h->lock));
    else
        note("%s acquires: it holds the lock", h->name);
    return rc;
}

/* All requests are answered: none is executed after what happens next. */
static void hold(struct host *h, int has_canary)
{
    ck_assert_int_eq(acquire(h, has_canary), RDL_OK);
    rdl_redlock_drain(&h->lock, &h->platform, rdl_now(&h->platform) + SHORT_MS / 4);
}

static uint32_t remaining_ms(struct host *h)
{
    return rdl_redlock_remaining_ms(&h->lock, rdl_now(&h->platform));
}

/* Both believe that their lease lasts, each by its own clock. */
static void expect_two_holders(struct host *one, struct host *other)
{
    ck_assert_uint_gt(remaining_ms(one), 0);
    ck_assert_uint_gt(remaining_ms(other), 0);
    note("%s and %s hold the lock at the same time", one->name, other->name);
}

/* The other acquires now: it must get the lock too, or, with the protection, not. */
static void expect_second(struct host *other, int is_protected, int has_canary)
{
    int rc = acquire(other, has_canary);

    ck_assert_uint_gt(remaining_ms(&a), 0);
    if (is_protected)
        ck_assert_int_ne(rc, RDL_OK);
    else
        expect_two_holders(&a, other);
}

/* ---------------------------------------------------------------- servers and the resource */

static void await_all(const char *command, const char *text)
{
    for (int i = 0; i < N; i++)
        live_await(&server[i], command, text);
}

/* The first n servers get older than max_ttl, so that the restart guard counts them. */
static void age(int n)
{
    for (int i = n - 1; i >= 0; i--)
        live_await_uptime(&server[i], OLD_S);
}

static uint64_t written; /* the resource: the greatest fencing token so far */

static int write_row(const struct host *h)
{
    uint64_t token = rdl_redlock_fence(&h->lock);
    int is_accepted = h->opt.fencing == NULL || token >= written;

    if (is_accepted)
        written = token;
    note("%s writes: %s", h->name, is_accepted ? "accepted" : "refused, its fencing token is too small");
    return is_accepted;
}

/* B holds the lock, too, and writes. Then A writes, late: with fencing tokens that is refused. */
static void expect_late_write(int is_fenced)
{
    hold(&b, 0);
    expect_two_holders(&a, &b);
    ck_assert(write_row(&b));
    ck_assert_int_eq(write_row(&a), !is_fenced);
}

static void set_fencing(int is_fenced)
{
    a.opt.fencing = b.opt.fencing = is_fenced ? &rdl_fencing : NULL;
}

/* ---------------------------------------------------------------- clocks */

static void client_rate(int is_allowed)
{
    two_hosts(SHORT_MS);
    set_rate(&a, is_allowed ? 99 : 10);
    note("A's clock runs at %u %% of the servers' rate", a.percent);
    hold(&a, 0);
    await_all("EXISTS nightly", ":0\r\n");
    note("all servers: the key has expired");
    if (!is_allowed) {
        hold(&b, 0);
        expect_two_holders(&a, &b);
        return;
    }
    ck_assert_uint_eq(remaining_ms(&a), 0);
    note("A: its lease has ended, too");
}

/* Servers that are started from now on have a wall clock that step_clocks moves forward. */
static char step_file[] = "/tmp/rdl-step-XXXXXX";
static int step_fd;

static void make_clocks(void)
{
    const char *preloaded = getenv("RDL_STEP_CLOCK");

    step_fd = mkstemp(step_file);
    ck_assert_int_ge(step_fd, 0);
    ck_assert_ptr_nonnull(preloaded);
    setenv("RDL_STEP_FILE", step_file, 1);
    setenv("LD_PRELOAD", preloaded, 1);
}

static void step_clocks(void)
{
    ck_assert_int_eq(write(step_fd, "40", 2), 2);
    close(step_fd);
}

static void server_step(int is_fenced)
{
    make_clocks();
    two_hosts(LONG_MS);
    set_fencing(is_fenced);
    hold(&a, 0);
    step_clocks();
    await_all("EXISTS nightly", ":0\r\n");
    note("all servers: the wall clock steps 40 s forward, and the key has expired");
    expect_late_write(is_fenced);
    unlink(step_file);
}

/* ---------------------------------------------------------------- lost data */

static void eviction(int is_kept)
{
    two_hosts(LONG_MS);
    for (int i = 0; i < N; i++)
        live_command(&server[i], "CONFIG SET maxmemory-policy %s", is_kept ? "noeviction" : "allkeys-random");
    hold(&a, 0);
    for (int i = 0; i < N; i++) {
        live_command(&server[i], "CONFIG SET maxmemory 100000");
        if (!is_kept)
            live_await(&server[i], "EXISTS nightly", ":0\r\n");
    }
    note("all servers: the memory is full, the key is %s", is_kept ? "kept" : "evicted");
    for (int i = 0; i < N; i++)
        live_command(&server[i], "CONFIG SET maxmemory 0");
    expect_second(&b, is_kept, 0);
}

/* A and B name all servers, with the restart guard. */
static void two_guarded(void)
{
    live_start_all(server, N);
    host_init(&a, "A", 0, N, LONG_MS);
    host_init(&b, "B", 0, N, LONG_MS);
}

static void flushall(int has_canary)
{
    two_guarded();
    for (int i = 0; i < N; i++)
        live_put_canary(&server[i], 1);
    age(N);
    hold(&a, has_canary);
    for (int i = 0; i < N; i++)
        live_command(&server[i], "FLUSHALL");
    note("all servers: FLUSHALL");
    expect_second(&b, has_canary, has_canary);
}

/* A client with this guard first waits until it has known the servers for longer than max_ttl. */
static void set_strict(void)
{
    a.opt.guard = b.opt.guard = RDL_GUARD_STRICT;
    a.opt.lease.wait_ms = 3 * LONG_MS;
    a.opt.lease.retry_ms = 100;
}

/* s3 is down when A acquires. s2 restarts without its data, and s3 is up again. */
static void restart_after_grant(void)
{
    age(N);
    live_kill(&server[2]);
    note("s3 is down");
    hold(&a, 0);
    live_kill(&server[1]);
    live_restart(&server[1]);
    live_restart(&server[2]);
    note("s2 restarts without its data; s3 is up");
}

static void restart(int is_guarded)
{
    two_guarded();
    if (!is_guarded)
        a.opt.guard = b.opt.guard = RDL_GUARD_OFF;
    restart_after_grant();
    expect_second(&b, is_guarded, 0);
}

static void one_without_guard(int is_guarded)
{
    two_guarded();
    if (!is_guarded) {
        b.opt.guard = RDL_GUARD_OFF;
        note("A has the restart guard, B has not");
    }
    restart_after_grant();
    expect_second(&b, is_guarded, 0);
}

static void smaller_max_ttl(int is_same)
{
    two_guarded();
    if (!is_same) {
        b.opt.max_ttl_ms = b.opt.lease.ttl_ms = 1000;
        b.opt.lease.attempt_ms = 250;
    }
    note("max_ttl: A %d s, B %u s", LONG_MS / 1000, (unsigned)b.opt.max_ttl_ms / 1000);
    restart_after_grant();
    live_await_uptime(&server[2], 3);
    note("3 s later");
    expect_second(&b, is_same, 0);
}

/* The restart guard computes from the uptime, and a server computes that by its wall clock. */
static void step_after_restart(int is_strict)
{
    two_guarded();
    if (is_strict)
        set_strict();
    make_clocks(); /* for s2 and s3, when they restart */
    restart_after_grant();
    step_clocks();
    note("s2 and s3: the wall clock steps 40 s forward");
    live_await_uptime(&server[1], 4);
    live_await_uptime(&server[2], 4);
    expect_second(&b, is_strict, 0);
    unlink(step_file);
}

/* ---------------------------------------------------------------- which servers */

static void other_list(int is_same)
{
    live_start_all(server, N);
    host_init(&a, "A", 0, is_same ? N : 1, LONG_MS);
    host_init(&b, "B", is_same ? 0 : 1, is_same ? N : 2, LONG_MS);
    a.opt.guard = b.opt.guard = RDL_GUARD_OFF;
    note("A names %s, B names %s", is_same ? "s1, s2, s3" : "s1", is_same ? "s1, s2, s3" : "s2, s3");
    hold(&a, 0);
    expect_second(&b, is_same, 0);
}

/* One server, and its replica. A replica whose master is unreachable keeps what it has. */
static void promoted_replica(int has_canary)
{
    static const char *const at_once[] = {"--repl-diskless-sync-delay", "0", NULL};

    server[0].args = at_once;
    live_start_all(server, 2);
    live_put_canary(&server[0], 1);
    live_command(&server[1], "REPLICAOF 127.0.0.1 %d", server[0].port);
    live_await(&server[1], "INFO replication", "master_link_status:up");
    host_init(&a, "A", 0, 1, LONG_MS);
    host_init(&b, "B", 1, 1, LONG_MS);
    age(2);
    live_command(&server[1], "REPLICAOF 127.0.0.1 1");
    note("s2 is a replica of s1, and their connection is cut");
    hold(&a, has_canary);
    live_kill(&server[0]);
    live_command(&server[1], "REPLICAOF NO ONE");
    note("s1 crashes; s2 is promoted, and B uses it");
    expect_second(&b, has_canary, has_canary);
}

/* The address is a name in the file system, which leads to the socket of s1, later to that of s2. */
static void moved_address(int is_strict)
{
    char link[LIVE_PATH_MAX + 8];
    char url[LIVE_PATH_MAX + 20];

    live_start_all(server, 2);
    snprintf(link, sizeof link, "%s/address", server[0].dir);
    snprintf(url, sizeof url, "unix://%s", link);
    ck_assert_int_eq(symlink(server[0].socket, link), 0);
    host_init(&a, "A", 0, 0, LONG_MS);
    host_init(&b, "B", 0, 0, LONG_MS);
    host_add(&a, url);
    host_add(&b, url);
    if (is_strict)
        set_strict();
    age(2);
    hold(&a, 0);
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(symlink(server[1].socket, link), 0);
    note("the address of s1 now leads to s2, which has been up for long");
    expect_second(&b, is_strict, 0);
}

/* ---------------------------------------------------------------- hosts and processes that stop */

static void paused_host(int is_fenced)
{
    two_hosts(SHORT_MS);
    set_fencing(is_fenced);
    hold(&a, 0);
    set_rate(&a, 0);
    await_all("EXISTS nightly", ":0\r\n");
    note("A's host is paused, and its clock with it; the key expires");
    expect_late_write(is_fenced);
}

/* C has A's token, as the clone has in its copy of the memory. We offer no protection. */
static void cloned_host(int is_protected)
{
    char token[RDL_TOKEN_TEXT_MAX];
    int rc;

    (void)is_protected;
    two_hosts(LONG_MS);
    hold(&a, 0);
    rdl_redlock_token(&a.lock, token);
    host_init(&c, "C", 0, N, LONG_MS);
    c.opt.guard = RDL_GUARD_OFF;
    rc = rdl_redlock_init(&c.lock, &c.opt, c.servers, N, RDL_NAME("nightly"));
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert_int_eq(rdl_redlock_adopt(&c.lock, token, strlen(token)), RDL_OK);
    note("A's host is cloned: C has the same memory, and A's lock token");
    ck_assert_int_eq(rdl_redlock_extend(&c.lock, &c.platform, LONG_MS), RDL_ADOPTED);
    note("C extends: done");
    ck_assert_int_eq(rdl_redlock_extend(&a.lock, &a.platform, LONG_MS), RDL_OK);
    note("A extends: done");
    expect_two_holders(&a, &c);
}

/* All of A's processes stop; then B works; then those of A that are left continue. */
static void stopped_process(int is_run)
{
    static struct command work, later;
    static const char *const by_script = "$RDL_COMMAND acquire --ttl=2s nightly >/dev/null; "
                                         "echo in >&9; kill -STOP $$; echo A >&9";
    static const char *const by_run = "$RDL_COMMAND run --ttl=2s nightly -c "
                                      "'kill -STOP $PPID; echo in >&9; kill -STOP $$; echo A >&9'";

    live_start_all(server, N);
    command_set_script(&work, server, N, is_run ? by_run : by_script);
    command_setenv(&work, "REDLOCK_RESTART_GUARD=off");
    command_start(&work);
    ck_assert_str_eq(command_note(&work), "in");
    note("A works under the lock, %s, and is stopped",
         is_run ? "by redlock run" : "with the token of redlock acquire");
    await_all("EXISTS nightly", ":0\r\n");
    note("the key expires");
    command_set_script(&later, server, N, "$RDL_COMMAND run nightly -- true");
    command_setenv(&later, "REDLOCK_RESTART_GUARD=off");
    ck_assert_msg(command_run(&later) == 0, "%s", later.err);
    note("B works under the lock, by redlock run");
    kill(-work.pid, SIGCONT);
    kill(work.pid, SIGCONT);
    if (!is_run) {
        ck_assert_str_eq(command_note(&work), "A");
        note("A continues, and writes late");
    } else {
        ck_assert_ptr_null(command_last_note(&work));
        note("A does not continue: its processes were killed before the lease ended");
    }
    command_end(&work);
}

/* ---------------------------------------------------------------- programs that misuse the library */

static void release(struct host *h)
{
    ck_assert_int_eq(rdl_redlock_release(&h->lock, &h->platform), RDL_OK);
    ck_assert_int_eq(rdl_redlock_drain(&h->lock, &h->platform, UINT64_MAX), RDL_OK);
    note("%s releases", h->name);
}

static void copied_handle(int is_elsewhere)
{
    static struct rdl_redlock copy;

    two_hosts(LONG_MS);
    hold(&a, 0);
    copy = a.lock;
    note("A copies the handle");
    release(&a);
    hold(&b, 0);
    if (is_elsewhere) {
        ck_assert_int_eq(rdl_redlock_extend(&copy, &a.platform, LONG_MS), RDL_E_SHARED);
        ck_assert_uint_eq(rdl_redlock_remaining_ms(&copy, rdl_now(&a.platform)), 0);
        note("A extends by the copy: RDL_E_SHARED");
        return;
    }
    a.lock = copy;
    note("A overwrites the handle with the copy");
    expect_two_holders(&a, &b);
}

/* A's child has a copy of the handle. It says by its exit status what it believes. */
static void forked_child(int is_used)
{
    int gate[2];
    int status;
    pid_t child;

    two_hosts(LONG_MS);
    hold(&a, 0);
    ck_assert_int_eq(pipe(gate), 0);
    child = live_fork();
    if (child == 0) {
        close(gate[1]);
        if (read(gate[0], &status, 1) != 0)
            _exit(3);
        if (is_used)
            _exit(rdl_redlock_extend(&a.lock, &a.platform, LONG_MS) == RDL_E_FORKED ? 0 : 4);
        _exit(remaining_ms(&a) > 0 ? 0 : 5);
    }
    note("A forks");
    release(&a);
    hold(&b, 0);
    close(gate[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    if (is_used)
        note("A's child extends: RDL_E_FORKED");
    else
        note("A's child only reads its copy of the handle: A's child and B hold the lock at the same time");
}

/* C has the same bytes as A. Its request reaches the servers late, and so does the release that follows. */
static void repeated_bytes(int is_unique)
{
    two_hosts(LONG_MS);
    host_init(&c, "C", 0, N, SHORT_MS);
    c.opt.guard = RDL_GUARD_OFF;
    a.repeats = c.repeats = !is_unique;
    hold(&a, 0);
    acquire(&c, 0); /* connects */
    for (int i = 0; i < N; i++)
        live_freeze(&server[i]);
    note("the servers stall");
    ck_assert_int_ne(acquire(&c, 0), RDL_OK);
    for (int i = 0; i < N; i++)
        live_thaw(&server[i]);
    ck_assert_int_eq(rdl_redlock_drain(&c.lock, &c.platform, UINT64_MAX), RDL_OK);
    note("the servers continue, and get C's release");
    expect_second(&b, is_unique, 0);
}

/* ---------------------------------------------------------------- the table */

static const struct {
    const char *assumption; /* that does not hold */
    const char *otherwise;
    const char *protection; /* NULL: none */
    const char *with_it;
    void (*run)(int is_protected);
} cases[] = {
    {"a client's clock is slower by more than 1 %", "two holders",
     "up to 1 %: a lease is 1 % and 2 ms shorter than its keys", "one holder", client_rate},
    {"a server's wall clock steps forward", "two holders, a late write", "fencing token",
     "the late write is refused", server_step},
    {"a server restarts, and its wall clock steps forward", "two holders", "restart guard `strict`",
     "one holder", step_after_restart},
    {"a server evicts keys", "two holders", "`noeviction`; `run` and `doctor` warn", "one holder", eviction},
    {"FLUSHALL", "two holders", "canary", "one holder", flushall},
    {"a server restarts without its data", "two holders", "restart guard (the default)", "one holder",
     restart},
    {"one client has no restart guard", "two holders", "none; the default is on", "one holder",
     one_without_guard},
    {"one client has a smaller max_ttl", "two holders", "none; `run`, `status` and `doctor` warn",
     "one holder if it is the same", smaller_max_ttl},
    {"two hosts name other servers", "two holders", "none; `run` and `status` warn if they share one",
     "one holder if they are the same", other_list},
    {"a replica is promoted", "two holders", "canary, if servers report a run_id", "one holder",
     promoted_replica},
    {"an address leads to another server", "two holders", "restart guard `strict`", "one holder",
     moved_address},
    {"work continues after its lease", "a late write", "`redlock run`", "it is killed in time",
     stopped_process},
    {"a host is paused, and its clock with it", "two holders, a late write", "fencing token",
     "the late write is refused", paused_host},
    {"a host is cloned", "two holders", NULL, NULL, cloned_host},
    {"a program overwrites a handle with a copy", "two holders", "none; a copy at another address is refused",
     "RDL_E_SHARED", copied_handle},
    {"a program forks, and the child reads the handle", "two holders", "calls that send fail in the child",
     "RDL_E_FORKED", forked_child},
    {"unique bytes repeat", "two holders", "the socket driver draws new random bytes", "one holder",
     repeated_bytes},
};

enum { CASES = sizeof cases / sizeof cases[0], TEXT = 4096, AT_A_TIME = 8 };

/* One run: its process, what it printed, whether it ended as the table says. */
struct job {
    size_t number;
    int is_protected, is_ok;
    pid_t pid;
    FILE *out;
    double began_s, took_s;
};

static struct job jobs[2 * CASES];
static struct job *current;

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

START_TEST(run)
{
    cases[current->number].run(current->is_protected);
    for (int i = 0; i < N; i++)
        if (server[i].dir[0] != '\0')
            live_remove(&server[i]);
}
END_TEST

/* In the process of a run: Check reports what was expected. */
static int run_alone(struct job *j)
{
    TCase *tc = tcase_create(cases[j->number].assumption);

    current = j;
    dup2(fileno(j->out), 1);
    tcase_add_test(tc, run);
    return suite_run_here(tc) > 0;
}

static void start(struct job *j)
{
    j->out = tmpfile();
    j->began_s = now_s();
    j->pid = fork();
    if (j->pid == 0)
        _exit(run_alone(j));
}

static void end_one(size_t n)
{
    int status;
    pid_t pid = wait(&status);

    for (size_t i = 0; i < n; i++)
        if (jobs[i].pid == pid) {
            jobs[i].is_ok = status == 0;
            jobs[i].took_s = now_s() - jobs[i].began_s;
        }
}

static void run_all(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i >= AT_A_TIME)
            end_one(i);
        start(&jobs[i]);
    }
    for (size_t i = n < AT_A_TIME ? n : AT_A_TIME; i > 0; i--)
        end_one(n);
}

static int has_protection(const struct job *j)
{
    return cases[j->number].protection != NULL;
}

/* The run without the protection, and after it the one with it. */
static void print_row(const struct job *j)
{
    static const char *const marks[] = {"FAILED, not ", ""};

    printf("| %s | %s%s | ", cases[j->number].assumption, marks[j->is_ok], cases[j->number].otherwise);
    if (has_protection(j))
        printf("%s | %s%s | %.1f |\n", cases[j->number].protection, marks[j[1].is_ok],
               cases[j->number].with_it, j->took_s + j[1].took_s);
    else
        printf("none | - | %.1f |\n", j->took_s);
}

static void print_run(const struct job *j)
{
    char line[TEXT];

    if (j->is_protected)
        printf("\n%s:\n\n", cases[j->number].protection);
    else
        printf("\n## %s\n\n", cases[j->number].assumption);
    rewind(j->out);
    while (fgets(line, sizeof line, j->out) != NULL)
        fputs(line, stdout);
}

/* Each has its run without the protection, and one with it if there is one. */
static size_t choose(const char *word)
{
    size_t n = 0;

    for (size_t i = 0; i < CASES; i++) {
        if (word != NULL && strstr(cases[i].assumption, word) == NULL)
            continue;
        jobs[n++] = (struct job){.number = i};
        if (cases[i].protection != NULL)
            jobs[n++] = (struct job){.number = i, .is_protected = 1};
    }
    return n;
}

int main(int argc, char **argv)
{
    size_t n = choose(argc > 1 ? argv[1] : NULL);
    size_t failed = 0;

    run_all(n);
    puts("| what happens | result | protection | result with it | s |\n|---|---|---|---|---|");
    for (size_t i = 0; i < n; i++)
        if (!jobs[i].is_protected)
            print_row(&jobs[i]);
    for (size_t i = 0; i < n; i++) {
        print_run(&jobs[i]);
        failed += !jobs[i].is_ok;
    }
    fprintf(stderr, "%zu runs, %zu failed\n", n, failed);
    return n == 0 || failed > 0;
}
