/* SPDX-License-Identifier: MIT */
/*
 * Refusals of releases, extensions and waits by real servers; cluster nodes that redirect; and connections
 * that end instead of a reply. check_live_errors.c has the errors of an acquire.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_op.h"
#include "redlock/redlock.h"
#include "tests/fixtures/asking.h"
#include "tests/suite.h"

static struct live_server second;

static void setup(void)
{
    memset(&asked, 0, sizeof asked);
    memset(&second, 0, sizeof second);
}

static void teardown(void)
{
    live_remove(&asked);
    live_remove(&second);
}

/* ---------------------------------------------------------------- users without rights */

/* Without its last rights, the user reads the error of the last method. */
START_TEST(an_error_inside_a_script_is_no_success)
{
    static const char *const rights[] = {"+get +eval +evalsha",
                                         "+get +eval +evalsha +watch +multi +exec +pttl"};

    asking_begin("lk:secret@");
    asking_plant("k");
    live_command(&asked, "ACL SETUSER lk on >secret ~* %s", rights[_i]);
    if (asking_major() >= 7)
        asking_refused(&rdl_op_release, "k", RDL_E_PERM, "NOPERM");
    else
        asking_refused(&rdl_op_release, "k", RDL_E_SERVER, "ERR Error running script");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":1\r\n");
    live_command(&asked, "SET k foreign"); /* no method is left on this connection */
    if (asking_major() >= 7)
        ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_ERROR);
    ck_assert_str_eq(live_command(&asked, "GET k"), "$7\r\nforeign\r\n");
}
END_TEST

START_TEST(a_user_with_minimal_rights_can_do_everything)
{
    asking_begin("lk:secret@");
    ck_assert_str_eq(
        live_command(&asked, "ACL SETUSER lk on >secret ~lock:* +set +get +eval +del +pexpire +pttl"),
        "+OK\r\n");
    ck_assert_int_eq(asking_ask(&rdl_op_acquire, "lock:a"), RDL_ANSWER_YES);
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "lock:a"), RDL_ANSWER_YES);
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "lock:a"),
                     RDL_ANSWER_YES); /* also where EVALSHA is forbidden */
    ck_assert_int_eq(asking_ask(&rdl_op_release, "lock:a"), RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&asked, "EXISTS lock:a"), ":0\r\n");
}
END_TEST

START_TEST(a_flushed_script_is_sent_again)
{
    asking_begin("");
    for (int i = 0; i < 3; i++) {
        asking_plant("k");
        ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
        ck_assert_int_eq(asking.req.error, RDL_OK);
        if (i > 0)
            ck_assert_int_eq(strncmp(rdl_conn_text(&asking.conn), "NOSCRIPT No matching", 20), 0);
        ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_YES);
        ck_assert_str_eq(live_command(&asked, "SCRIPT FLUSH"), "+OK\r\n");
    }
}
END_TEST

/* ---------------------------------------------------------------- the state of the server */

/* Commands that free memory, or take none, are not refused. */
START_TEST(a_lock_is_extended_and_released_without_memory)
{
    asking_begin("");
    asking_plant("k");
    live_command(&asked, "CONFIG SET maxmemory 1");
    asking_refused(&rdl_op_acquire, "other", RDL_E_TRY_LATER, "OOM ");
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_YES);
    live_command(&asked, "CONFIG SET maxmemory 0");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
}
END_TEST

/* Before 7.0 a script may write without them. */
START_TEST(a_lock_without_replicas_stays_until_it_expires)
{
    int is_refused;

    asking_begin("");
    is_refused = asking_major() >= 7;
    asking_plant("k");
    live_command(&asked, "CONFIG SET min-replicas-to-write 2");
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), is_refused ? RDL_ANSWER_ERROR : RDL_ANSWER_YES);
    ck_assert_int_eq(asking.req.error, is_refused ? RDL_E_SERVER : RDL_OK);
    ck_assert_int_eq(strncmp(rdl_conn_text(&asking.conn), "NOREPLICAS Not enough", 21) == 0, is_refused);
    ck_assert_int_eq(rdl_is_permanent(asking.req.error), 0);
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), is_refused ? ":1\r\n" : ":0\r\n");
    live_command(&asked, "CONFIG SET min-replicas-to-write 0");
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), is_refused ? RDL_ANSWER_YES : RDL_ANSWER_ABSENT);
}
END_TEST

/* The connection to a replica is closed; before 7.0 a script hides the reason, and the lock stays as well. */
START_TEST(a_replica_releases_and_extends_nothing)
{
    const struct rdl_op *ops[] = {&rdl_op_release, &rdl_op_extend};

    asking_begin("");
    asking_plant("k");
    live_command(&asked, "PEXPIRE k 20000");
    live_command(&asked, "REPLICAOF 127.0.0.1 1");
    if (asking_major() >= 7) {
        asking_refused(ops[_i], "k", RDL_E_READONLY, "READONLY");
        client_wait_closed(&asking);
        ck_assert_int_eq(rdl_conn_error(&asking.conn), RDL_E_READONLY);
    } else {
        asking_refused(ops[_i], "k", RDL_E_SERVER, "ERR Error running script");
    }
    live_command(&asked, "REPLICAOF NO ONE");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":1\r\n");
}
END_TEST

/* A script is refused like this; SET, DELEX and DELIFEQ get READONLY first. */
START_TEST(a_replica_without_its_master_replies_masterdown)
{
    asking_begin("");
    asking_plant("k");
    live_command(&asked, "PEXPIRE k 20000");
    live_command(&asked, "CONFIG SET replica-serve-stale-data no");
    live_command(&asked, "REPLICAOF 127.0.0.1 1");
    asking_refused(&rdl_op_extend, "k", RDL_E_SERVER, "MASTERDOWN Link with MASTER is down");
    ck_assert_int_eq(rdl_is_permanent(RDL_E_SERVER), 0);
    ck_assert_str_eq(rdl_strerror(RDL_E_SERVER), "the server replied with an error");
    ck_assert_int_eq(asking_ask(&rdl_op_release, "k"), RDL_ANSWER_ERROR);
    ck_assert(asking.req.error == RDL_E_SERVER || asking.req.error == RDL_E_READONLY);
    live_command(&asked, "REPLICAOF NO ONE");
    ck_assert_int_le(strtol(live_command(&asked, "PTTL k") + 1, NULL, 10), 20000);
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":1\r\n");
}
END_TEST

START_TEST(a_hint_wait_ends_when_the_server_becomes_a_replica)
{
    asking_begin("");
    client_submit(&asking, &rdl_op_wait_hint, "k");
    while (strstr(live_command(&asked, "INFO clients"), "\nblocked_clients:1") == NULL)
        client_step(&asking, client_now() + 20);
    live_command(&asked, "REPLICAOF 127.0.0.1 1");
    ck_assert_int_eq(client_wait(&asking), RDL_ANSWER_ERROR);
    ck_assert_int_eq(asking.req.error, RDL_E_SERVER);
    ck_assert_int_eq(rdl_is_permanent(RDL_E_SERVER), 0);
    ck_assert_msg(strncmp(rdl_conn_text(&asking.conn), "UNBLOCKED", 9) == 0, "%s",
                  rdl_conn_text(&asking.conn));
    ck_assert_str_eq(live_command(&asked, "DBSIZE"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- clusters */

static const char *const clustered[] = {"--cluster-enabled", "yes", "--cluster-require-full-coverage", "no",
                                        NULL};

static long slot_of_k(void)
{
    return strtol(live_command(&asked, "CLUSTER KEYSLOT k") + 1, NULL, 10);
}

static const char *id_of(struct live_server *s)
{
    static char id[41];

    snprintf(id, sizeof id, "%.40s", strchr(live_command(s, "CLUSTER MYID"), '\n') + 1);
    return id;
}

static void await_cluster(struct live_server *s)
{
    live_await(s, "CLUSTER INFO", "cluster_size:2");
    live_await(s, "CLUSTER INFO", "cluster_state:ok");
}

/* Two nodes that know each other; the slot of k belongs to one of them. */
static void make_cluster(int is_ours)
{
    long slot;

    asked.args = clustered;
    asking_begin("");
    second.args = clustered;
    live_start(&second);
    slot = slot_of_k();
    live_command(&asked, "CLUSTER ADDSLOTS %ld", is_ours ? slot : (slot + 1) % 16384);
    live_command(&second, "CLUSTER ADDSLOTS %ld", is_ours ? (slot + 1) % 16384 : slot);
    live_command(&asked, "CLUSTER MEET 127.0.0.1 %d", second.port);
    await_cluster(&asked);
    await_cluster(&second);
    ck_assert_str_eq(rdl_strerror(RDL_E_CLUSTER), "the server is a cluster node");
}

START_TEST(a_node_without_the_slot_replies_moved)
{
    char moved[64];

    make_cluster(0);
    snprintf(moved, sizeof moved, "MOVED %ld 127.0.0.1:%d", slot_of_k(), second.port);
    asking_refused(&rdl_op_acquire, "k", RDL_E_CLUSTER, moved);
    asking_refused(&rdl_op_release, "k", RDL_E_CLUSTER, "MOVED ");
    ck_assert_str_eq(live_command(&second, "EXISTS k"), ":0\r\n");
    ck_assert(rdl_is_permanent(RDL_E_CLUSTER));
}
END_TEST

START_TEST(a_node_that_gives_its_slot_away_replies_ask)
{
    make_cluster(1);
    ck_assert_str_eq(live_command(&asked, "CLUSTER SETSLOT %ld MIGRATING %s", slot_of_k(), id_of(&second)),
                     "+OK\r\n");
    asking_refused(&rdl_op_acquire, "k", RDL_E_CLUSTER, "ASK ");
    ck_assert_str_eq(live_command(&asked, "DBSIZE"), ":0\r\n");
    ck_assert_str_eq(live_command(&second, "DBSIZE"), ":0\r\n");
}
END_TEST

/* One of the two keys has moved already. */
START_TEST(a_migrating_node_refuses_several_locks_for_now)
{
    make_cluster(1);
    live_command(&asked, "SET k other");
    live_command(&asked, "CLUSTER SETSLOT %ld MIGRATING %s", slot_of_k(), id_of(&second));
    if (asking_major() >= 7)
        asking_refused(&rdl_op_acquire_multi, "\001k\004{k}b", RDL_E_TRY_LATER, "TRYAGAIN ");
    else
        asking_refused(&rdl_op_acquire_multi, "\001k\004{k}b", RDL_E_CLUSTER, "ASK ");
    ck_assert_int_eq(rdl_is_permanent(asking.req.error), asking_major() < 7);
    ck_assert_str_eq(live_command(&asked, "GET k"), "$5\r\nother\r\n");
    ck_assert_str_eq(live_command(&asked, "CLUSTER COUNTKEYSINSLOT %ld", slot_of_k()), ":1\r\n");
}
END_TEST

START_TEST(a_cluster_node_is_detected_before_the_first_request)
{
    uint64_t end;

    asked.args = clustered;
    asking_begin("");
    rdl_guard_conn(&asking.conn);
    for (end = client_now() + CLIENT_TIMEOUT_MS; rdl_conn_error(&asking.conn) == RDL_OK;) {
        ck_assert(client_now() < end);
        client_step(&asking, client_now() + 20);
    }
    ck_assert_int_eq(rdl_conn_error(&asking.conn), RDL_E_CLUSTER);
    ck_assert_str_eq(rdl_conn_text(&asking.conn), "cluster mode is on");
}
END_TEST

START_TEST(a_database_of_a_cluster_node_is_refused)
{
    const char *text;

    asked.args = clustered;
    asking_begin("");
    asking.endpoint.db = 1;
    client_submit(&asking, &rdl_op_acquire, "k");
    while (rdl_conn_error(&asking.conn) == RDL_OK)
        client_step(&asking, client_now() + 20);
    ck_assert_int_eq(rdl_conn_error(&asking.conn), RDL_E_DB);
    text = rdl_conn_text(&asking.conn); /* the second is Valkey 9, which could have more than one there */
    ck_assert_msg(strncmp(text, "ERR SELECT is not", 17) == 0 || strncmp(text, "ERR DB index", 12) == 0, "%s",
                  text);
}
END_TEST

/* ---------------------------------------------------------------- no reply */

/*
 * Frozen after it received the request: it may be executed, or not. Killed or disconnected: the outcome is
 * unknown.
 */
START_TEST(a_closed_connection_leaves_the_outcome_unknown)
{
    asking_begin("");
    asking_plant("other");
    ck_assert_int_eq(asking_ask(&rdl_op_release, "other"), RDL_ANSWER_YES);
    live_freeze(&asked);
    client_submit(&asking, &rdl_op_acquire, "k");
    client_step(&asking, client_now() + 20);
    live_kill(&asked);
    ck_assert_int_eq(client_wait(&asking), RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(asking.req.error, RDL_E_CLOSED);
}
END_TEST

START_TEST(a_deleted_user_is_disconnected)
{
    asking_begin("lk:secret@");
    live_command(&asked, "ACL SETUSER lk on >secret ~* +@all");
    ck_assert_int_eq(asking_ask(&rdl_op_acquire, "k"), RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&asked, "ACL DELUSER lk"), ":1\r\n");
    client_submit(&asking, &rdl_op_release, "k");
    while (rdl_conn_error(&asking.conn) != RDL_E_AUTH)
        client_step(&asking, client_now() + 20);
    ck_assert_str_eq(rdl_conn_text(&asking.conn), "WRONGPASS: wrong user or password");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":1\r\n");
}
END_TEST

Suite *suite_live_errors_more(void)
{
    Suite *suite = suite_create("live_errors_more");
    TCase *tc = suite_case(suite, "more errors of real servers", setup, teardown);

    tcase_add_loop_test(tc, an_error_inside_a_script_is_no_success, 0, 2);
    tcase_add_test(tc, a_user_with_minimal_rights_can_do_everything);
    tcase_add_test(tc, a_flushed_script_is_sent_again);
    tcase_add_test(tc, a_lock_is_extended_and_released_without_memory);
    tcase_add_test(tc, a_lock_without_replicas_stays_until_it_expires);
    tcase_add_loop_test(tc, a_replica_releases_and_extends_nothing, 0, 2);
    tcase_add_test(tc, a_replica_without_its_master_replies_masterdown);
    tcase_add_test(tc, a_hint_wait_ends_when_the_server_becomes_a_replica);
    tcase_add_test(tc, a_node_without_the_slot_replies_moved);
    tcase_add_test(tc, a_node_that_gives_its_slot_away_replies_ask);
    tcase_add_test(tc, a_migrating_node_refuses_several_locks_for_now);
    tcase_add_test(tc, a_cluster_node_is_detected_before_the_first_request);
    tcase_add_test(tc, a_database_of_a_cluster_node_is_refused);
    tcase_add_test(tc, a_closed_connection_leaves_the_outcome_unknown);
    tcase_add_test(tc, a_deleted_user_is_disconnected);
    return suite;
}
