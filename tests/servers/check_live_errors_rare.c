/* SPDX-License-Identifier: MIT */
/*
 * The rest of the refusals of real servers, and how they disconnect a client. Broken clusters, commands that
 * scripts may not run or that were renamed, the methods that are left then, paused and closed connections.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_io.h"
#include "lock/lock_op.h"
#include "tests/fixtures/asking.h"
#include "tests/suite.h"

static struct rdl_lock lock;

static void setup(void)
{
    memset(&asked, 0, sizeof asked);
}

static void teardown(void)
{
    live_remove(&asked);
}

static int has_delete(void)
{
    return strstr(live_command(&asked, "DELEX"), "wrong number") != NULL ||
           strstr(live_command(&asked, "DELIFEQ"), "wrong number") != NULL;
}

static long pttl(void)
{
    return strtol(live_command(&asked, "PTTL k") + 1, NULL, 10);
}

static void assert_reported(const char *text)
{
    ck_assert_msg(strncmp(rdl_conn_text(&asking.conn), text, strlen(text)) == 0, "%s, not %s",
                  rdl_conn_text(&asking.conn), text);
}

/* ---------------------------------------------------------------- clusters */

static const char *const clustered[] = {"--cluster-enabled", "yes", NULL};
static const char *const down[] = {"CLUSTERDOWN The cluster is down",
                                   "CLUSTERDOWN The cluster is down and only accepts read commands"};

START_TEST(a_node_of_a_broken_cluster_replies_clusterdown)
{
    asked.args = clustered;
    asking_begin("");
    live_command(&asked, "CLUSTER ADDSLOTS %ld",
                 strtol(live_command(&asked, "CLUSTER KEYSLOT k") + 1, NULL, 10));
    if (_i == 1)
        live_command(&asked, "CONFIG SET cluster-allow-reads-when-down yes");
    asking_refused(&rdl_op_acquire, "k", RDL_E_TRY_LATER, down[_i]);
    ck_assert_int_eq(rdl_is_permanent(RDL_E_TRY_LATER), 0);
    ck_assert_str_eq(rdl_strerror(RDL_E_TRY_LATER), "the server cannot do this now");
    if (_i == 0)
        asking_refused(&rdl_op_release, "k", RDL_E_TRY_LATER, down[0]);
    else
        ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- commands that scripts may not run */

static const struct rdl_lock_options opt = {.ttl_ms = 20000, .attempt_ms = 5000};
static const struct rdl_lock_options until_granted = {
    .ttl_ms = 20000, .wait_ms = 30000, .retry_ms = 1, .attempt_ms = 5000};

/*
 * A fencing token is given with the lock or not at all; the error text differs. It is permanent: an acquire
 * without a limit fails at once, unless the text hides the reason.
 */
static void assert_no_fence(int error, const char *text)
{
    const struct rdl_lock_options *o = asking_major() < 7 ? &opt : &until_granted;
    struct rdl_lock_fenced fenced;
    int rc;

    rdl_lock_init_fenced(&fenced, o, &asking.conn, "k", 1);
    rc = rdl_lock_acquire(&fenced.lock, &client_platform);
    if (asking_major() < 7) {
        ck_assert_int_eq(rc, RDL_E_SERVER);
        assert_reported("ERR Error running script");
    } else {
        ck_assert_int_eq(rc, error);
        assert_reported(text);
    }
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n"); /* it may have counted, for no client */
}

START_TEST(scripts_that_may_not_write_give_no_fencing_token)
{
    asking_begin("lk:secret@");
    live_command(&asked, "ACL SETUSER lk on >secret ~* +@all -psetex");
    assert_no_fence(RDL_E_PERM, strstr(live_command(&asked, "INFO server"), "redis_version:7.0")
                                    ? "ERR The user executing"
                                    : "ERR ACL failure");
}
END_TEST

START_TEST(scripts_that_lack_a_command_give_no_fencing_token)
{
    static const char *const renamed[] = {LIVE_WITHOUT("PSETEX"), NULL};

    asked.args = renamed;
    asking_begin("");
    assert_no_fence(RDL_E_UNSUPPORTED, "ERR Unknown ");
}
END_TEST

/* Neither the script nor a transaction can do it here: nothing is left. */
START_TEST(a_renamed_command_counts_as_unsupported)
{
    static const char *const renamed[] = {LIVE_WITHOUT("PEXPIRE"), NULL};

    asked.args = renamed;
    asking_begin("");
    live_command(&asked, "SET k %.*s PX 20000", (int)sizeof asking.token, asking.token);
    if (asking_major() >= 7)
        asking_refused(&rdl_op_extend, "k", RDL_E_UNSUPPORTED, "ERR unknown command");
    else
        asking_refused(&rdl_op_extend, "k", RDL_E_SERVER, "ERR Error running script");
    ck_assert_int_le(pttl(), 20000);
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_YES);
}
END_TEST

/* ---------------------------------------------------------------- methods without scripts */

static void begin_without_scripts(const char *and)
{
    asking_begin("lk:secret@");
    live_command(&asked, "ACL SETUSER lk on >secret ~* +@all -eval -evalsha %s", and);
    live_command(&asked, "SET k %.*s PX 20000", (int)sizeof asking.token, asking.token);
}

START_TEST(without_scripts_a_transaction_extends)
{
    begin_without_scripts("");
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_int_gt(pttl(), 20000);
    ck_assert_ptr_nonnull(strstr(live_command(&asked, "INFO commandstats"), "cmdstat_exec"));
}
END_TEST

START_TEST(without_scripts_and_transactions_nothing_extends)
{
    begin_without_scripts("-watch");
    asking_refused(&rdl_op_extend, "k", RDL_E_PERM, "NOPERM");
    ck_assert_int_le(pttl(), 20000);
}
END_TEST

/*
 * SET may need memory and is refused before its arguments are read; before 8.0 so is all that MULTI queues.
 */
START_TEST(without_memory_and_scripts_only_delex_or_delifeq_releases)
{
    begin_without_scripts("");
    live_command(&asked, "CONFIG SET maxmemory 1");
    if (asking_ask(&rdl_op_extend, "k") == RDL_ANSWER_ERROR) { /* 7.0 refuses it, 8.0 does not */
        ck_assert_int_eq(asking.req.error, RDL_E_TRY_LATER);
        assert_reported("OOM command not allowed");
        ck_assert_int_le(pttl(), 20000);
    } else {
        ck_assert_int_gt(pttl(), 20000);
    }
    if (asking_ask(&rdl_op_release, "k") == RDL_ANSWER_ERROR) { /* likewise */
        ck_assert(!has_delete());
        assert_reported("OOM command not allowed");
        ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":1\r\n");
    }
    live_command(&asked, "CONFIG SET maxmemory 0");
    asking_ask(&rdl_op_release, "k");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- replicas, pauses, closed connections */

/* A replica runs a script that only reads: its "not yours" proves nothing about the lock. */
START_TEST(a_replica_may_reply_that_a_lock_is_not_ours)
{
    asking_begin("");
    live_command(&asked, "SET k other");
    live_command(&asked, "REPLICAOF 127.0.0.1 1");
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_NO);
    live_command(&asked, "REPLICAOF NO ONE");
    ck_assert_str_eq(live_command(&asked, "GET k"), "$5\r\nother\r\n");
}
END_TEST

/* The server executes the requests of the pause afterwards: first the acquire, then its release. */
START_TEST(a_paused_server_is_unknown_and_keeps_no_key)
{
    static const struct rdl_lock_options hasty = {.ttl_ms = 20000, .attempt_ms = 50};

    asking_begin("");
    rdl_lock_init(&lock, &hasty, &asking.conn, "k", 1);
    live_command(&asked, "CLIENT PAUSE 2500");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_UNKNOWN);
    while (!rdl_conn_is_idle(&asking.conn))
        client_step(&asking, client_now() + 20);
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
    ck_assert_ptr_nonnull(strstr(live_command(&asked, "INFO commandstats"), "cmdstat_set:calls=1,"));
}
END_TEST

/* Redis 6.0 takes 0.001 s for 0, that is, for ever. */
START_TEST(the_shortest_wait_for_a_hint_ends)
{
    const struct rdl_command wait = {
        .op = &rdl_op_wait_hint, .name = {"k", 1}, .until_ms = UINT64_MAX, .ttl_ms = 1};

    asking_begin("");
    ck_assert_int_eq(rdl_conn_submit(&asking.conn, &asking.req, &wait), RDL_OK);
    ck_assert_int_eq(client_wait(&asking), RDL_ANSWER_NO);
}
END_TEST

START_TEST(a_disconnected_client_releases_on_its_next_connection)
{
    asking_begin("");
    ck_assert_int_eq(asking_ask(&rdl_op_acquire, "k"), RDL_ANSWER_YES);
    ck_assert_int_eq(live_command(&asked, "CLIENT KILL TYPE normal")[0], ':');
    client_submit(&asking, &rdl_op_release, "k");
    client_wait(&asking);
    while (!rdl_conn_is_idle(&asking.conn))
        client_step(&asking, client_now() + 20);
    /* sent before the end was noticed: answered on the next connection */
    ck_assert_int_eq(asking.req.answer, asking.req.may_be_second ? RDL_ANSWER_YES : RDL_ANSWER_UNSENT);
    ck_assert_int_eq(asking.req.error, asking.req.may_be_second ? RDL_OK : RDL_E_CLOSED);
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
}
END_TEST

Suite *suite_live_errors_rare(void)
{
    Suite *suite = suite_create("live_errors_rare");
    TCase *tc = suite_case(suite, "rare errors of real servers", setup, teardown);

    tcase_add_loop_test(tc, a_node_of_a_broken_cluster_replies_clusterdown, 0, 2);
    tcase_add_test(tc, scripts_that_may_not_write_give_no_fencing_token);
    tcase_add_test(tc, scripts_that_lack_a_command_give_no_fencing_token);
    tcase_add_test(tc, a_renamed_command_counts_as_unsupported);
    tcase_add_test(tc, without_scripts_a_transaction_extends);
    tcase_add_test(tc, without_scripts_and_transactions_nothing_extends);
    tcase_add_test(tc, without_memory_and_scripts_only_delex_or_delifeq_releases);
    tcase_add_test(tc, a_replica_may_reply_that_a_lock_is_not_ours);
    tcase_add_test(tc, a_paused_server_is_unknown_and_keeps_no_key);
    tcase_add_test(tc, the_shortest_wait_for_a_hint_ends);
    tcase_add_test(tc, a_disconnected_client_releases_on_its_next_connection);
    return suite;
}
