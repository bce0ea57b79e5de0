/* SPDX-License-Identifier: MIT */
/* asking.c - one client and one real server; see asking.h. */
#include "tests/live/asking.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct live_server asked;
struct client asking;

void asking_begin(const char *login)
{
    char url[256];

    client_setup();
    if (asked.pid == 0)
        live_start(&asked);
    snprintf(url, sizeof url, "redis://%s127.0.0.1:%d", login, asked.port);
    client_init(&asking, url);
}

enum rdl_answer asking_ask(const struct rdl_op *op, const char *name)
{
    return client_ask(&asking, op, name);
}

void asking_plant(const char *name)
{
    live_command(&asked, "SET %s %.*s PX 60000", name, (int)sizeof asking.token, asking.token);
    ck_assert_str_eq(asked.reply, "+OK\r\n");
}

void asking_refused(const struct rdl_op *op, const char *name, int code, const char *text)
{
    enum rdl_answer answer = asking_ask(op, name);

    ck_assert_msg(answer == RDL_ANSWER_ERROR && asking.req.error == code, "%s: answer %d, error %d (%s)",
                  text, answer, asking.req.error, rdl_conn_text(&asking.conn));
    ck_assert_msg(strncmp(rdl_conn_text(&asking.conn), text, strlen(text)) == 0, "%s, not %s",
                  rdl_conn_text(&asking.conn), text);
}

int asking_major(void)
{
    const char *at = strstr(live_command(&asked, "INFO server"), "redis_version:");

    ck_assert_ptr_nonnull(at);
    return (int)strtol(at + 14, NULL, 10);
}
