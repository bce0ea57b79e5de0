/* SPDX-License-Identifier: MIT */
/* Which text explains why a server sent no reply: the system's, the server's or our own. */
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/redlock.h"
#include "tests/suite.h"

#include <errno.h>
#include <string.h>

static struct rdl_cli_servers servers;

/*
 * A connection that ended with this error, this errno since the previous attempt, and this number of replies.
 */
static void ended(int error, int err, unsigned replies)
{
    memset(&servers, 0, sizeof servers);
    servers.n = 1;
    servers.endpoint[0].family = RDL_INET;
    servers.config[0].endpoint = &servers.endpoint[0];
    servers.server[0].conn = &servers.conn[0];
    rdl_conn_init(&servers.conn[0], &servers.config[0]);
    servers.conn[0].error = (int8_t)error;
    servers.conn[0].sys_error = (int16_t)err;
    servers.conn[0].replies = replies;
}

START_TEST(system_errors_are_shown_in_the_systems_words)
{
    static const int its[] = {RDL_E_CONNECT, RDL_E_CLOSED, RDL_E_SYSTEM};
    static const int others[] = {RDL_E_TIMEOUT, RDL_E_AUTH, RDL_E_SYNTAX, RDL_E_TRY_LATER};

    for (size_t k = 0; k < sizeof its / sizeof its[0]; k++) {
        ended(its[k], ECONNREFUSED, 0);
        ck_assert_str_eq(rdl_cli_cause(&servers, 0, its[k]), strerror(ECONNREFUSED));
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        ended(others[k], ECONNREFUSED, 0);
        ck_assert_str_eq(rdl_cli_cause(&servers, 0, others[k]), "");
    }
}
END_TEST

START_TEST(other_errors_have_no_system_message)
{
    ended(RDL_E_CONNECT, ECONNREFUSED, 0);
    ck_assert_str_eq(rdl_cli_cause(&servers, 0, RDL_E_CLOSED), "");
    ck_assert_str_eq(rdl_cli_cause(&servers, 0, RDL_OK), "");
    ended(RDL_E_CONNECT, 0, 0);
    ck_assert_str_eq(rdl_cli_cause(&servers, 0, RDL_E_CONNECT), "");
}
END_TEST

START_TEST(a_port_that_hangs_up_without_a_reply_may_speak_tls)
{
    ended(RDL_E_CLOSED, 0, 0);
    ck_assert_int_eq(rdl_cli_may_be_tls(&servers, 0, RDL_E_CLOSED), 1);
    ck_assert_int_eq(rdl_cli_may_be_tls(&servers, 0, RDL_E_TIMEOUT), 0);
    servers.is_tls[0] = 1;
    ck_assert_int_eq(rdl_cli_may_be_tls(&servers, 0, RDL_E_CLOSED), 0);
    ended(RDL_E_CLOSED, 0, 1);
    ck_assert_int_eq(rdl_cli_may_be_tls(&servers, 0, RDL_E_CLOSED), 0);
    ended(RDL_E_CLOSED, 0, 0);
    servers.endpoint[0].family = RDL_UNIX;
    ck_assert_int_eq(rdl_cli_may_be_tls(&servers, 0, RDL_E_CLOSED), 0);
}
END_TEST

Suite *suite_cli_reason(void)
{
    Suite *suite = suite_create("cli_reason");
    TCase *tc = suite_case(suite, "all", NULL, NULL);

    tcase_add_test(tc, system_errors_are_shown_in_the_systems_words);
    tcase_add_test(tc, other_errors_have_no_system_message);
    tcase_add_test(tc, a_port_that_hangs_up_without_a_reply_may_speak_tls);
    return suite;
}
