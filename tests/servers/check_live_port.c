/* SPDX-License-Identifier: MIT */
/* The fixture guarantees that a server keeps its port from before it listens until it is removed. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;

static void setup(void)
{
    memset(&server, 0, sizeof server);
    live_start(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

/* As another test would take it. 0, or errno. */
static int take_port(int family)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET};
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int rc;

    four.sin_port = six.sin6_port = htons((uint16_t)server.port);
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (family == AF_INET)
        rc = bind(fd, (const struct sockaddr *)(const void *)&four, sizeof four);
    else
        rc = bind(fd, (const struct sockaddr *)(const void *)&six, sizeof six);
    rc = rc != 0 ? errno : 0;
    close(fd);
    return rc;
}

START_TEST(a_stopped_servers_port_stays_reserved)
{
    live_kill(&server);
    ck_assert_int_eq(take_port(AF_INET), EADDRINUSE);
    ck_assert_int_eq(take_port(AF_INET6), EADDRINUSE);
    live_restart(&server);
    ck_assert_str_eq(live_command(&server, "PING"), "+PONG\r\n");
}
END_TEST

/*
 * How many sockets of this process are bound to it. A failed bind proves nothing: a connection of the port's
 * previous server may be in TIME_WAIT.
 */
static int sockets_held(void)
{
    struct sockaddr_in6 six = {0};
    struct sockaddr_in four;
    int fd, n = 0;

    for (fd = 3; fd < 256; fd++) {
        socklen_t len = sizeof six;
        if (getsockname(fd, (struct sockaddr *)(void *)&six, &len) != 0)
            continue;
        memcpy(&four, &six, sizeof four);
        n += six.sin6_family == AF_INET6 && ntohs(six.sin6_port) == server.port;
        n += four.sin_family == AF_INET && ntohs(four.sin_port) == server.port;
    }
    return n;
}

START_TEST(a_removed_server_frees_its_port)
{
    ck_assert_int_eq(sockets_held(), 2);
    live_remove(&server);
    ck_assert_int_eq(sockets_held(), 0);
}
END_TEST

Suite *suite_live_port(void)
{
    Suite *suite = suite_create("live_port");
    TCase *tc = suite_case(suite, "live_port", setup, teardown);

    tcase_add_test(tc, a_stopped_servers_port_stays_reserved);
    tcase_add_test(tc, a_removed_server_frees_its_port);
    return suite;
}
