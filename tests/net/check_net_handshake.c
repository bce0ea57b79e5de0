/* SPDX-License-Identifier: MIT */
/*
 * check_net_handshake.c - login: what is sent when, what a refusal means, and where a password must not
 * appear.
 *
 * Rule R19.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define AUTH     "*2\r\n$4\r\nAUTH\r\n$6\r\ns3cret\r\n"
#define SELECT_7 "*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n"
#define SETNAME  "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$3\r\njob\r\n"

static struct scripted s;
static struct rdl_req req;

static struct rdl_bytes bytes(const char *text)
{
    return (struct rdl_bytes){text, strlen(text)};
}

static void submit(const struct rdl_op *op)
{
    struct rdl_command cmd = {op, bytes("k"), {token_hex(0xaa), RDL_VALUE_MAX}, {NULL, 0}, 60000, 30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
}

static void setup(void)
{
    scripted_init(&s);
    memset(&req, 0, sizeof req);
    s.endpoint.password = bytes("s3cret");
    s.endpoint.db = 7;
    s.endpoint.client_name = bytes("job");
    submit(&rdl_op_acquire);
}

START_TEST(conn_without_login_is_ready_at_once)
{
    memset(&s.endpoint, 0, sizeof s.endpoint);
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", token_hex(0xaa), 30000));
}
END_TEST

/* In database 0 instead, the lock would exclude no other client. */
START_TEST(endpoint_with_login_needs_login_commands)
{
    static const struct rdl_endpoint needs[] = {{.user = {"u", 1}}, {.password = {"p", 1}}, {.db = 1}};
    struct rdl_command cmd = {&rdl_op_acquire, bytes("k"), {token_hex(0xaa), RDL_VALUE_MAX},
                              {NULL, 0},       60000,      30000};

    scripted_init(&s);
    memset(&req, 0, sizeof req);
    s.cfg.login = NULL;
    s.endpoint = needs[_i];
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_E_CONFIG);
    ck_assert(rdl_is_permanent(RDL_E_CONFIG));
    ck_assert_ptr_nonnull(strstr(rdl_conn_config_fault(&s.cfg, 0), "rdl_conn_config.login"));
}
END_TEST

START_TEST(client_name_is_not_sent_without_login_commands)
{
    scripted_init(&s);
    s.cfg.login = NULL;
    s.endpoint.client_name = bytes("job");
    memset(&req, 0, sizeof req);
    submit(&rdl_op_acquire);
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", token_hex(0xaa), 30000));
}
END_TEST

START_TEST(lock_commands_wait_for_the_whole_login)
{
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), AUTH);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), SELECT_7 SETNAME);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_HANDSHAKE);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", token_hex(0xaa), 30000));
}
END_TEST

START_TEST(a_user_is_sent_with_the_password)
{
    static const char *const auth[] = {"*3\r\n$4\r\nAUTH\r\n$1\r\na\r\n$6\r\ns3cret\r\n",
                                       "*3\r\n$4\r\nAUTH\r\n$3\r\nann\r\n$6\r\ns3cret\r\n"};

    s.endpoint.user = bytes(_i == 0 ? "a" : "ann");
    s.endpoint.db = 0;
    s.endpoint.client_name.len = 0;
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), auth[_i]);
}
END_TEST

/* A user that needs no password is still not the default user (redis://ann:@host). */
START_TEST(user_without_a_password_is_sent_too)
{
    s.endpoint.user = bytes("ann");
    s.endpoint.password.len = 0;
    s.endpoint.db = 0;
    s.endpoint.client_name.len = 0;
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), "*3\r\n$4\r\nAUTH\r\n$3\r\nann\r\n$0\r\n\r\n");
}
END_TEST

/* Opens a connection that sends one login command, and answers it with an error. */
static int refuse(const char *reply)
{
    scripted_open(&s, 1000);
    scripted_sent(&s);
    scripted_reply(&s, reply);
    if (rdl_conn_state(&s.conn) != RDL_CONN_FAILED)
        return RDL_OK;
    ck_assert_str_eq(scripted_sent(&s), "");
    return rdl_conn_error(&s.conn);
}

static const struct {
    const char *reply;
    int code;
    const char *text;
} refused_auth[] = {
    {"-WRONGPASS invalid username-password pair or user is disabled.\r\n", RDL_E_AUTH,
     "WRONGPASS: wrong user or password"},
    {"-ERR invalid password\r\n", RDL_E_AUTH, "WRONGPASS: wrong user or password"},
    {"-ERR AUTH <password> called without any password configured for the default user. Are you sure your "
     "configuration is correct?\r\n",
     RDL_E_AUTH, "AUTH refused: the server has no password set"},
    {"-ERR Client sent AUTH, but no password is set\r\n", RDL_E_AUTH,
     "AUTH refused: the server has no password set"},
    {"-ERR unknown command 'AUTH', with args beginning with: 's3cret' \r\n", RDL_E_AUTH, "AUTH refused"},
    {"-ERR wrong number of arguments for 'auth' command\r\n", RDL_E_AUTH, "AUTH refused"},
    {"-s3cret\r\n", RDL_E_AUTH, "AUTH refused"},
    {"-NOPERM this user has no permissions to run the 'auth' command\r\n", RDL_E_PERM, "AUTH refused"},
    {"-LOADING Redis is loading the dataset in memory s3cret\r\n", RDL_E_TRY_LATER, "AUTH refused"},
    {"-BUSY Redis is busy running a script. s3cret\r\n", RDL_E_TRY_LATER, "AUTH refused"},
};

START_TEST(refused_auth_is_reported_without_the_password)
{
    s.endpoint.db = 0;
    s.endpoint.client_name.len = 0;
    ck_assert_int_eq(refuse(refused_auth[_i].reply), refused_auth[_i].code);
    ck_assert_str_eq(rdl_conn_text(&s.conn), refused_auth[_i].text);
    ck_assert_ptr_null(strstr(rdl_conn_text(&s.conn), "s3cret"));
    ck_assert_int_eq(scripted_close_failed(&s), refused_auth[_i].code);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(req.error, refused_auth[_i].code);
}
END_TEST

static const struct {
    const char *reply;
    int code;
} refused_select[] = {
    {"-ERR DB index is out of range\r\n", RDL_E_DB},
    {"-ERR invalid DB index\r\n", RDL_E_DB},
    {"-ERR SELECT is not allowed in cluster mode\r\n", RDL_E_DB},
    {"-ERR value is not an integer or out of range\r\n", RDL_E_DB},
    {"-NOAUTH Authentication required.\r\n", RDL_E_AUTH},
    {"-NOPERM User lk has no permissions to run the 'select' command\r\n", RDL_E_PERM},
    {"-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n",
     RDL_E_TRY_LATER},
};

START_TEST(refused_select_ends_the_connection)
{
    s.endpoint.password.len = 0;
    s.endpoint.client_name.len = 0;
    ck_assert_int_eq(refuse(refused_select[_i].reply), refused_select[_i].code);
    ck_assert_uint_ge(strlen(rdl_conn_text(&s.conn)), 20);
    ck_assert_ptr_nonnull(strstr(refused_select[_i].reply, rdl_conn_text(&s.conn)));
}
END_TEST

START_TEST(a_refused_client_name_does_not_matter)
{
    s.endpoint.password.len = 0;
    s.endpoint.db = 0;
    ck_assert_int_eq(refuse("-ERR Client names cannot contain spaces, newlines or special characters.\r\n"),
                     RDL_OK);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "");
}
END_TEST

/* A server that refuses a connection says so instead of replying to the first command. */
static void want_only(int i)
{
    s.endpoint.password.len = i == 0 ? 6 : 0;
    s.endpoint.db = i == 1;
    s.endpoint.client_name.len = i == 2 ? 3 : 0;
}

START_TEST(too_many_clients_is_not_a_refused_login)
{
    want_only(_i);
    ck_assert_int_eq(refuse("-ERR max number of clients reached\r\n"), RDL_E_SERVER);
    ck_assert(!rdl_is_permanent(rdl_conn_error(&s.conn)));
    ck_assert_str_eq(rdl_conn_text(&s.conn), "ERR max number of clients");
}
END_TEST

START_TEST(protected_mode_is_a_permanent_error)
{
    want_only(_i);
    ck_assert_int_eq(refuse("-DENIED Redis is running in protected mode because ...\r\n"), RDL_E_AUTH);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "DENIED: protected mode");
}
END_TEST

static const char *const impossible[] = {":1\r\n", "$2\r\nOK\r\n", "$-1\r\n", "*1\r\n+OK\r\n", "*0\r\n"};

START_TEST(reply_of_another_type_ends_the_login)
{
    int answered;

    scripted_open(&s, 1000);
    scripted_sent(&s);
    for (answered = 0; answered < _i / 5; answered++) {
        scripted_reply(&s, "+OK\r\n");
        scripted_sent(&s);
    }
    scripted_reply(&s, impossible[_i % 5]);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_FAILED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_UNEXPECTED);
}
END_TEST

START_TEST(reply_before_the_request_ends_the_login)
{
    scripted_open(&s, 1000);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    scripted_open(&s,
                  2000); /* an error without a request is the server's reason for refusing the connection */
    scripted_reply(&s, "-LOADING Redis is loading the dataset in memory\r\n");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TRY_LATER);
}
END_TEST

START_TEST(login_may_have_any_length)
{
    static char password[5000], sent[6000];

    memset(password, 'p', sizeof password - 1);
    s.endpoint.password = bytes(password);
    scripted_open(&s, 1000);
    snprintf(sent, sizeof sent, "*2\r\n$4\r\nAUTH\r\n$%zu\r\n%s\r\n", strlen(password), password);
    ck_assert_str_eq(scripted_sent(&s), sent);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), SELECT_7 SETNAME);
}
END_TEST

START_TEST(reply_to_a_partly_sent_login_ends_it)
{
    uint8_t chunk[8];

    scripted_open(&s, 1000);
    rdl_conn_tx_done(&s.conn, rdl_conn_tx(&s.conn, chunk, sizeof chunk));
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
}
END_TEST

START_TEST(every_connection_logs_in_again)
{
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), AUTH);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), SELECT_7 SETNAME);
    scripted_reply(&s, "+OK\r\n");
    scripted_break(&s);
    scripted_open(&s, 9000);
    ck_assert_str_eq(scripted_sent(&s), AUTH);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), SELECT_7 SETNAME);
    scripted_reply(&s, "+OK\r\n+OK\r\n");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* ---------------------------------------------------------------- the trace */

static char traced[2][2000]; /* '>' and '<'; a hidden byte is a '*' */
static size_t traced_len[2];

static void trace(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    size_t d = dir == '<';

    ck_assert(ctx == &traced && c == &s.conn && len > 0);
    ck_assert_uint_lt(traced_len[d] + len, sizeof traced[d]);
    if (data != NULL)
        memcpy(traced[d] + traced_len[d], data, len);
    else
        memset(traced[d] + traced_len[d], '*', len);
    traced_len[d] += len;
    traced[d][traced_len[d]] = '\0';
}

static void trace_setup(void)
{
    setup();
    s.cfg.trace = trace;
    s.cfg.trace_ctx = &traced;
    memset(traced, 0, sizeof traced);
    memset(traced_len, 0, sizeof traced_len);
}

START_TEST(trace_hides_only_auth_and_its_reply)
{
    static const char stars[] = "******************************************";
    const char *sent = wire_acquire("k", token_hex(0xaa), 30000);

    scripted_open(&s, 1000);
    scripted_sent(&s);
    scripted_reply(&s, "-");
    scripted_reply(&s, "ERR s3cret");
    ck_assert_str_eq(traced[1], "***********");
    scripted_break(&s);
    memset(traced_len, 0, sizeof traced_len);

    submit(&rdl_op_acquire);
    scripted_open(&s, 99999);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "$-1\r\n:77\r\n");
    ck_assert_str_eq(traced[0], wire_join(stars + sizeof stars - sizeof AUTH, SELECT_7 SETNAME, sent, NULL));
    ck_assert_str_eq(traced[1], "*****+OK\r\n+OK\r\n$-1\r\n:77\r\n");
}
END_TEST

START_TEST(trace_hides_bytes_that_arrive_with_the_auth_reply)
{
    scripted_open(&s, 1000);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n-ERR s3cret\r\n");
    ck_assert_str_eq(traced[1], "******************");
}
END_TEST

/* Sent in chunks of any size; after the password's last byte the trace shows everything again. */
START_TEST(trace_hides_a_password_sent_in_any_pieces)
{
    s.chunk = (size_t)_i;
    for (int k = 0; k < 2; k++) { /* and on the next connection */
        traced_len[0] = 0;
        scripted_open(&s, 1000);
        ck_assert_str_eq(scripted_sent(&s), AUTH);
        ck_assert_uint_eq(strspn(traced[0], "*"), strlen(AUTH));
        ck_assert_uint_eq(traced_len[0], strlen(AUTH));
        scripted_reply(&s, "+OK\r\n");
        scripted_sent(&s);
        ck_assert_str_eq(traced[0] + strlen(AUTH), SELECT_7 SETNAME);
        scripted_break(&s);
    }
}
END_TEST

Suite *suite_net_handshake(void)
{
    Suite *suite = suite_create("net_handshake");
    TCase *login = suite_case(suite, "login", setup, NULL);
    TCase *tracing = suite_case(suite, "trace", trace_setup, NULL);

    tcase_add_test(login, conn_without_login_is_ready_at_once);
    tcase_add_test(login, lock_commands_wait_for_the_whole_login);
    tcase_add_loop_test(login, endpoint_with_login_needs_login_commands, 0, 3);
    tcase_add_test(login, client_name_is_not_sent_without_login_commands);
    tcase_add_loop_test(login, a_user_is_sent_with_the_password, 0, 2);
    tcase_add_test(login, user_without_a_password_is_sent_too);
    tcase_add_loop_test(login, refused_auth_is_reported_without_the_password, 0,
                        sizeof refused_auth / sizeof refused_auth[0]);
    tcase_add_loop_test(login, refused_select_ends_the_connection, 0,
                        sizeof refused_select / sizeof refused_select[0]);
    tcase_add_test(login, a_refused_client_name_does_not_matter);
    tcase_add_loop_test(login, too_many_clients_is_not_a_refused_login, 0, 3);
    tcase_add_loop_test(login, protected_mode_is_a_permanent_error, 0, 3);
    tcase_add_loop_test(login, reply_of_another_type_ends_the_login, 0, 15);
    tcase_add_test(login, reply_before_the_request_ends_the_login);
    tcase_add_test(login, login_may_have_any_length);
    tcase_add_test(login, reply_to_a_partly_sent_login_ends_it);
    tcase_add_test(login, every_connection_logs_in_again);
    tcase_add_test(tracing, trace_hides_only_auth_and_its_reply);
    tcase_add_test(tracing, trace_hides_bytes_that_arrive_with_the_auth_reply);
    tcase_add_loop_test(tracing, trace_hides_a_password_sent_in_any_pieces, 1, 60);
    return suite;
}
