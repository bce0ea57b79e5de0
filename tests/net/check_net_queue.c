/* SPDX-License-Identifier: MIT */
/*
 * check_net_queue.c - the queue of requests: what fits, and what survives a connection.
 * check_net_queue_model.c tests it at random.
 *
 * Rules R10 and R12.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "net/net_private.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static struct scripted s;

static int submit(struct rdl_req *req, const struct rdl_op *op, const char *name)
{
    struct rdl_command cmd = {op,   {name, strlen(name)}, {token_hex(1), RDL_VALUE_MAX}, {NULL, 0}, 60000,
                              30000};

    return rdl_conn_submit(&s.conn, req, &cmd);
}

static void setup(void)
{
    scripted_init(&s);
}

/* ---------------------------------------------------------------- room */

START_TEST(smallest_queue_holds_one_acquire_and_its_release)
{
    static char name[RDL_NAME_MAX + 1];
    struct rdl_req req = {0};
    struct rdl_req other = {0};

    memset(name, 'n', RDL_NAME_MAX);
    s.cfg.queue_len = RDL_QUEUE_FOR(1, RDL_NAME_MAX);
    ck_assert_int_eq(submit(&req, &rdl_op_acquire, name), RDL_OK);
    ck_assert_int_eq(submit(&other, &rdl_op_acquire, name), RDL_E_FULL);
    scripted_open(&s, 1000);
    scripted_sent(&s);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(submit(NULL, &rdl_op_release, name), RDL_E_FULL);
    rdl_conn_free_room(&s.conn, &req);
    ck_assert_int_eq(submit(NULL, &rdl_op_release, name), RDL_OK);
}
END_TEST

START_TEST(full_queue_returns_an_error_and_changes_nothing)
{
    struct rdl_req req[40];
    struct rdl_req late = {.answer = RDL_ANSWER_NO, .value = 7};
    struct rdl_conn before;
    uint64_t queue[SCRIPTED_QUEUE / 8];
    int n = 0;

    memset(req, 0, sizeof req);
    s.cfg.queue_len = 700;
    while (submit(&req[n], &rdl_op_acquire, "k") == RDL_OK)
        n++;
    ck_assert_int_eq(n, (int)(700 / (2 * (sizeof(struct rdl_record) + 48))) /* texts of 41 bytes */);
    before = s.conn;
    memcpy(queue, s.queue, sizeof queue);
    ck_assert_int_eq(submit(&late, &rdl_op_acquire, "k"), RDL_E_FULL);
    ck_assert_int_eq(submit(&late, &rdl_op_extend, "kk"), RDL_E_FULL);
    ck_assert_mem_eq(&s.conn, &before, sizeof before);
    ck_assert_mem_eq(s.queue, queue, sizeof queue);
    ck_assert_int_eq(late.answer, RDL_ANSWER_NO);
    ck_assert_int_eq(late.value, 7);
}
END_TEST

START_TEST(every_unanswered_acquire_keeps_room_for_its_release)
{
    struct rdl_req req[40];
    struct rdl_req other = {0};
    int n = 0;
    int i;

    memset(req, 0, sizeof req);
    s.cfg.queue_len = 1000;
    while (submit(&req[n], &rdl_op_acquire, "name") == RDL_OK)
        n++;
    while (submit(&other, &rdl_op_release, "k") == RDL_OK) /* any request may use the rest */
        rdl_conn_abandon(&s.conn, &other);
    scripted_open(&s, 1000);
    scripted_sent(&s);
    for (i = 0; i < n; i++) {
        rdl_conn_abandon(&s.conn, &req[i]);
        rdl_conn_free_room(&s.conn, &req[i]);
        ck_assert_int_eq(submit(NULL, &rdl_op_release, "name"), RDL_OK);
    }
    ck_assert_int_eq(submit(&other, &rdl_op_release, "k"), RDL_E_FULL);
}
END_TEST

/* Each kind of lock, with names of any length: the queue holds n acquires and then their releases. */
static const struct {
    const struct rdl_op *acquire, *release;
    int is_fenced;
} locks[] = {
    {&rdl_op_acquire, &rdl_op_release, 0},
    {&rdl_op_acquire, &rdl_op_release_hint, 0},
    {&rdl_op_acquire_fenced, &rdl_op_release, 1},
};

START_TEST(queue_of_the_documented_size_is_just_large_enough)
{
    static char name[RDL_NAME_MAX];
    static const char number[RDL_EXTRA_MAX] = "1234567890123456789 12345678901234567890";
    size_t name_len = 1 + (size_t)_i % RDL_NAME_MAX;
    size_t n = 1 + (size_t)_i % 5;
    size_t k = (size_t)_i % 3;
    struct rdl_bytes token = {token_hex(0xab), RDL_VALUE_MAX};
    struct rdl_command acquire = {locks[k].acquire, {name, name_len}, token, {number, 0}, 60000, 30000};
    struct rdl_command release = {locks[k].release, {name, name_len}, token, {NULL, 0}, 60000, 30000};
    struct rdl_req reqs[6] = {0};
    size_t i;

    memset(name, 'n', sizeof name);
    acquire.extra.len = locks[k].is_fenced ? sizeof number : 0;
    s.cfg.queue_len = locks[k].is_fenced ? RDL_QUEUE_FOR_FENCED(n, name_len) : RDL_QUEUE_FOR(n, name_len);
    scripted_open(&s, 1000);
    for (i = 0; i < n; i++)
        ck_assert_int_eq(rdl_conn_submit(&s.conn, &reqs[i], &acquire), RDL_OK);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &reqs[i], &acquire), RDL_E_FULL);
    scripted_sent(&s);
    for (i = 0; i < n; i++) {
        rdl_conn_abandon(&s.conn, &reqs[i]);
        rdl_conn_free_room(&s.conn, &reqs[i]);
        ck_assert_int_eq(rdl_conn_submit(&s.conn, NULL, &release), RDL_OK);
    }
    scripted_break(&s);

    scripted_init(&s);
    s.cfg.queue_len =
        (locks[k].is_fenced ? RDL_QUEUE_FOR_FENCED(1, name_len) : RDL_QUEUE_FOR(1, name_len)) - 1;
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &reqs[0], &acquire), RDL_E_CONFIG);
    ck_assert(rdl_is_permanent(RDL_E_CONFIG));
    ck_assert_ptr_nonnull(strstr(rdl_conn_config_fault(&s.cfg, s.cfg.queue_len + 1), "RDL_QUEUE_FOR"));
    ck_assert_ptr_null(rdl_conn_config_fault(&s.cfg, s.cfg.queue_len));
}
END_TEST

/* Only the caller's operation knows when no release is needed any more. */
START_TEST(no_reply_frees_the_room_of_a_release)
{
    static const char name[] = "a-name-so-long-that-the-least-queue-does-not-hold-two-of-them";
    static const char *const answers[] = {"+OK\r\n:1\r\n", "$-1\r\n:1\r\n",
                                          "-OOM command not allowed\r\n:1\r\n", NULL};
    struct rdl_req a = {0};
    struct rdl_req b = {0};

    s.cfg.queue_len = 512;
    ck_assert_int_eq(submit(&a, &rdl_op_acquire, name), RDL_OK);
    scripted_open(&s, 1000);
    scripted_sent(&s);
    ck_assert_int_eq(submit(&b, &rdl_op_acquire, name), RDL_E_FULL);
    if (answers[_i] != NULL)
        scripted_reply(&s, answers[_i]);
    else
        scripted_break(&s);
    ck_assert_int_ne(a.answer, RDL_ANSWER_NONE);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(submit(&b, &rdl_op_acquire, name), RDL_OK);
    ck_assert_int_eq(submit(NULL, &rdl_op_release, name), RDL_E_FULL);
    rdl_conn_free_room(&s.conn, &a);
    ck_assert_int_eq(submit(NULL, &rdl_op_release, name), RDL_OK);
    rdl_conn_free_room(&s.conn, &a); /* it has no room any more */
    ck_assert_int_eq(submit(NULL, &rdl_op_release, name), RDL_E_FULL);
}
END_TEST

/* ---------------------------------------------------------------- what survives what */

START_TEST(pending_release_goes_first_on_the_next_connection)
{
    struct rdl_req set = {0};
    struct rdl_req next = {0};

    submit(&set, &rdl_op_acquire, "k");
    scripted_open(&s, 1000);
    scripted_sent(&s);
    rdl_conn_abandon(&s.conn, &set);
    submit(NULL, &rdl_op_release, "k");
    scripted_sent(&s);
    submit(&next, &rdl_op_extend, "k2");
    scripted_break(&s);
    ck_assert_int_eq(next.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(next.error, RDL_E_CLOSED);
    submit(&next, &rdl_op_acquire, "k2");
    scripted_open(&s, 1100);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_release_text("k", token_hex(1)),
                                                  wire_acquire("k2", token_hex(1), 30000), NULL));
    scripted_reply(&s, ":1\r\n+OK\r\n:30000\r\n");
    ck_assert_int_eq(next.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(releases_keep_their_order_over_many_connections)
{
    char expected[4000] = "";
    char name[4] = "k0";
    int i;

    for (i = 0; i < 9; i++) {
        struct rdl_req set = {0};
        name[1] = (char)('0' + i);
        scripted_open(&s, 1000);
        scripted_sent(&s);
        submit(&set, &rdl_op_acquire, name);
        scripted_sent(&s);
        rdl_conn_abandon(&s.conn, &set);
        submit(NULL, &rdl_op_release, name);
        scripted_break(&s);
        strcat(expected,
               i == 0 ? wire_release_text(name, token_hex(1)) : wire_release_sha(name, token_hex(1)));
    }
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), expected);
}
END_TEST

START_TEST(abandoned_release_stays_pending)
{
    struct rdl_req req = {0};

    submit(&req, &rdl_op_release, "k");
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(req.error, RDL_E_TIMEOUT);
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(1)));
}
END_TEST

Suite *suite_net_queue(void)
{
    Suite *suite = suite_create("net_queue");
    TCase *tc = suite_case(suite, "queue", setup, NULL);

    tcase_add_test(tc, smallest_queue_holds_one_acquire_and_its_release);
    tcase_add_test(tc, full_queue_returns_an_error_and_changes_nothing);
    tcase_add_test(tc, every_unanswered_acquire_keeps_room_for_its_release);
    tcase_add_loop_test(tc, queue_of_the_documented_size_is_just_large_enough, 0, 3 * RDL_NAME_MAX);
    tcase_add_loop_test(tc, no_reply_frees_the_room_of_a_release, 0, 4);
    tcase_add_test(tc, pending_release_goes_first_on_the_next_connection);
    tcase_add_test(tc, releases_keep_their_order_over_many_connections);
    tcase_add_test(tc, abandoned_release_stays_pending);
    return suite;
}
