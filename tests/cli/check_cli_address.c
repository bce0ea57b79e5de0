/* SPDX-License-Identifier: MIT */
/* A name leads every host to the same server, or to none. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/messages.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/host_differences.h"
#include "redlock/redlock.h"
#include "tests/fixtures/resolver.h"
#include "tests/suite.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---------------------------------------------------------------- addresses in the command */

static struct rdl_cli_servers each[4],
    *servers = each; /* of every init in a test: their texts are never freed */
static char message[4096];
static int from_stderr;

static void clear(void)
{
    int fd[2];

    resolver_begin();
    ck_assert_int_eq(pipe(fd), 0);
    dup2(fd[1], STDERR_FILENO);
    from_stderr = fd[0];
    rdl_cli_set_verbosity(RDL_CLI_NORMAL);
}

static void read_message(void)
{
    ck_assert_int_eq((int)write(STDERR_FILENO, "|", 1), 1); /* something to read even without a message */
    ssize_t len = read(from_stderr, message, sizeof message - 1);
    ck_assert_int_ge((int)len, 1);
    message[len - 1] = '\0';
}

static int init_for(enum rdl_cli_verb verb, const char *const urls[], size_t n, int any)
{
    static char copies[RDL_SERVERS_MAX][64];
    struct rdl_cli_options o = {.verb = verb, .password_fd = -1, .any_address = any, .n_urls = n};

    ck_assert_ptr_ne(servers, each + 3);
    for (size_t i = 0; i < n; i++) {
        snprintf(copies[i], sizeof copies[i], "%s", urls[i]);
        o.urls[i] = copies[i];
    }
    int rc = rdl_cli_servers_init(++servers, &o);
    read_message();
    return rc;
}

static int init(const char *const urls[], size_t n, int any)
{
    return init_for(RDL_CLI_RUN, urls, n, any);
}

static int init_one(int any)
{
    return init((const char *const[]){"redis://a.test:6379"}, 1, any);
}

static const char *taken(size_t i)
{
    static char text[INET6_ADDRSTRLEN];
    const struct rdl_endpoint *ep = &servers->endpoint[i];

    return inet_ntop(ep->family == RDL_INET ? AF_INET : AF_INET6, ep->ip, text, sizeof text);
}

START_TEST(several_addresses_of_a_name_fail_with_68_and_are_listed)
{
    static const char *const v[][3] = {{"192.0.2.7", "192.0.2.3", "192.0.2.7, 192.0.2.3"},
                                       {"2001:db8::2", "2001:db8::1", "2001:db8::2, 2001:db8::1"},
                                       {"127.0.0.2", "127.0.0.3", "127.0.0.2, 127.0.0.3"}};

    resolver_add("a.test", v[_i][0], 6379);
    resolver_add("a.test", v[_i][1], 6379);
    ck_assert_int_eq(init_one(0), 68);
    ck_assert_msg(strstr(message, v[_i][2]) != NULL, "%s", message);
    ck_assert_ptr_nonnull(strstr(message, "a.test:6379 has more than one address ("));
    ck_assert_ptr_nonnull(strstr(message, "--any-address"));
}
END_TEST

/* Two clients of three servers whose third name leads to different servers are two majorities. */
START_TEST(one_ambiguous_name_among_good_servers_fails_with_68)
{
    resolver_add("a.test", "192.0.2.7", 6379);
    resolver_add("a.test", "192.0.2.3", 6379);
    resolver_add("b.test", "192.0.2.9", 6379);
    ck_assert_int_eq(
        init((const char *const[]){"redis://127.0.0.1", "redis://b.test", "redis://a.test"}, 3, 0), 68);
    ck_assert_ptr_nonnull(strstr(message, "a.test:6379 has more than one address"));
    ck_assert_ptr_null(strstr(message, "b.test"));
    resolver_add("b.test", "192.0.2.8", 6379);
    ck_assert_int_eq(
        init((const char *const[]){"redis://127.0.0.1", "redis://b.test", "redis://a.test"}, 3, 0), 68);
    ck_assert_ptr_nonnull(strstr(message, "a.test:6379 has more than one address"));
    ck_assert_ptr_nonnull(strstr(message, "b.test:6379 has more than one address"));
}
END_TEST

/* Doctor reports it later, with all other problems. */
START_TEST(doctor_continues_after_ambiguous_and_missing_addresses)
{
    resolver_add("a.test", "192.0.2.7", 6379);
    resolver_add("a.test", "192.0.2.3", 6379);
    ck_assert_int_eq(
        init_for(RDL_CLI_DOCTOR, (const char *const[]){"redis://a.test", "redis://b.test"}, 2, 0), 0);
    ck_assert_str_eq(message, "");
    ck_assert_str_eq(servers->several[0], "192.0.2.7, 192.0.2.3");
    ck_assert_ptr_null(servers->several[1]);
    ck_assert_ptr_nonnull(servers->unresolved[1]);
    free(servers->several[0]);
}
END_TEST

/* The resolver and the host choose the order: it must not decide which server has the lock. */
START_TEST(ipv4_is_preferred_to_ipv6_in_any_order)
{
    resolver_add("a.test", _i ? "2001:db8::1" : "192.0.2.7", 6379);
    resolver_add("a.test", _i ? "192.0.2.7" : "2001:db8::1", 6379);
    ck_assert_int_eq(init_one(0), 0);
    ck_assert_str_eq(taken(0), "192.0.2.7");
    ck_assert_str_eq(message, "");
    rdl_cli_set_verbosity(RDL_CLI_VERBOSE);
    ck_assert_int_eq(init_one(0), 0);
    ck_assert_str_eq(message, "redlock: a.test: its IPv4 address is used, not its IPv6 address\n");
}
END_TEST

/* A free port of this address. 0: any; -1: it is in use. Nothing listens there yet. */
static int take_port(const char *ip, int *port)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)*port)};
    int is_v6 = strchr(ip, ':') != NULL;
    struct sockaddr *a = is_v6 ? (struct sockaddr *)&in6 : (struct sockaddr *)&in;
    socklen_t len = is_v6 ? sizeof in6 : sizeof in;
    int fd = socket(a->sa_family, SOCK_STREAM, 0);

    inet_pton(a->sa_family, ip, is_v6 ? (void *)&in6.sin6_addr : (void *)&in.sin_addr);
    if (bind(fd, a, len) != 0) {
        close(fd);
        return -1;
    }
    ck_assert_int_eq(getsockname(fd, a, &len), 0);
    *port = ntohs(is_v6 ? in6.sin6_port : in.sin_port);
    return fd;
}

/* The same port on two addresses. */
static int take_both(const char *one, const char *other, int fd[2])
{
    for (int i = 0; i < 100; i++) {
        int port = 0;
        fd[0] = take_port(one, &port);
        fd[1] = take_port(other, &port);
        if (fd[0] >= 0 && fd[1] >= 0)
            return port;
        close(fd[0]);
    }
    ck_abort_msg("no port is free on %s and %s", one, other);
    return 0;
}

/* Only the second address listens: it is used if both addresses are this host, and otherwise not. */
START_TEST(ipv6_is_used_only_if_nothing_listens_on_ipv4_loopback)
{
    const char *v4 = _i == 2 ? "127.0.0.2" : "127.0.0.1";
    int fd[2];
    int port = take_both(v4, "::1", fd);

    resolver_add("a.test", v4, port);
    resolver_add("a.test", "::1", port);
    ck_assert_int_eq(listen(fd[1], 8), 0);
    if (_i == 1)
        ck_assert_int_eq(listen(fd[0], 8), 0);
    ck_assert_int_eq(init_one(0), 0);
    ck_assert_str_eq(taken(0), _i == 1 ? v4 : "::1");
    resolver_begin();
    resolver_add("a.test", "192.0.2.7", port);
    resolver_add("a.test", "::1", port);
    ck_assert_int_eq(init_one(0), 0);
    ck_assert_str_eq(taken(0), "192.0.2.7");
}
END_TEST

START_TEST(a_repeated_address_counts_once)
{
    const char *ip = _i ? "2001:db8::1" : "192.0.2.7";

    resolver_add("a.test", ip, 6379);
    resolver_add("a.test", ip, 6379);
    ck_assert_int_eq(init_one(0), 0);
    ck_assert_str_eq(taken(0), ip);
    ck_assert_str_eq(message, "");
}
END_TEST

START_TEST(any_address_picks_the_first_that_listens)
{
    int fd[2];
    int port = take_both("127.0.0.2", "127.0.0.3", fd);

    ck_assert_int_eq(listen(fd[1], 8), 0);
    resolver_add("a.test", "127.0.0.2", port);
    resolver_add("a.test", "127.0.0.3", port);
    ck_assert_int_eq(init_one(1), 0);
    ck_assert_str_eq(taken(0), "127.0.0.3");
    ck_assert_str_eq(message, "");
    resolver_begin();
    resolver_add("a.test", "127.0.0.4", port);
    resolver_add("a.test", "127.0.0.2", port);
    ck_assert_int_eq(init_one(1), 0);
    ck_assert_str_eq(taken(0), "127.0.0.4"); /* none listens: the first */
}
END_TEST

START_TEST(two_names_of_one_server_fail_with_65)
{
    resolver_add("a.test", "192.0.2.7", 6379);
    resolver_add("b.test", "192.0.2.7", 6379);
    ck_assert_int_eq(init((const char *const[]){"redis://a.test", "redis://b.test"}, 2, 0), 65);
}
END_TEST

START_TEST(every_name_without_an_address_is_listed)
{
    static const char *const urls[] = {"redis://x.invalid:1", "redis://127.0.0.1", "redis://y.invalid:2",
                                       "redis://127.0.0.2", "redis://127.0.0.3"};

    ck_assert_int_eq(init(urls, 5, 0), 0);
    ck_assert_ptr_nonnull(strstr(message, "no address for x.invalid:1 ("));
    ck_assert_ptr_nonnull(strstr(message, "), y.invalid:2 ("));
    ck_assert_ptr_nonnull(strstr(message, "; counted as down (2 of 5 servers)"));
    ck_assert_int_eq(init(urls, 3, 0), 68);
    ck_assert_ptr_nonnull(strstr(message, "no address for x.invalid:1 ("));
    ck_assert_ptr_nonnull(strstr(message, "), y.invalid:2 ("));
}
END_TEST

/* Each host finds its own server by its own name, whatever address that has. */
START_TEST(the_own_name_is_this_host_alone_only_in_redis_url)
{
    static const char *const from[] = {"$REDIS_URL", "$REDLOCK_URLS", NULL /* -u */};
    struct rdl_cli_options o = {.verb = RDL_CLI_RUN, .urls_from = from[_i]};
    char host[256] = "", text[512] = "";

    ck_assert_int_eq(gethostname(host, sizeof host - 1), 0);
    resolver_add("a.test", "192.0.2.7", 6379);
    ck_assert_int_eq(init_one(0), 0);
    servers->endpoint[0].host = host;
    rdl_cli_host_differences_own(servers, &o);
    read_message();
    if (_i == 0)
        snprintf(text, sizeof text,
                 "redlock: warning: $REDIS_URL names this host alone (%s:6379): other hosts do not see its "
                 "locks, unless it is a tunnel; name servers that all hosts reach, or give -u if you want "
                 "this\n",
                 host);
    ck_assert_str_eq(message, text);
}
END_TEST

Suite *suite_cli_address(void)
{
    Suite *s = suite_create("cli_address");
    TCase *t = suite_case(s, "names", clear, NULL);
    tcase_add_loop_test(t, several_addresses_of_a_name_fail_with_68_and_are_listed, 0, 3);
    tcase_add_test(t, one_ambiguous_name_among_good_servers_fails_with_68);
    tcase_add_test(t, doctor_continues_after_ambiguous_and_missing_addresses);
    tcase_add_loop_test(t, ipv4_is_preferred_to_ipv6_in_any_order, 0, 2);
    tcase_add_loop_test(t, ipv6_is_used_only_if_nothing_listens_on_ipv4_loopback, 0, 3);
    tcase_add_loop_test(t, a_repeated_address_counts_once, 0, 2);
    tcase_add_test(t, any_address_picks_the_first_that_listens);
    tcase_add_test(t, two_names_of_one_server_fail_with_65);
    tcase_add_test(t, every_name_without_an_address_is_listed);
    tcase_add_loop_test(t, the_own_name_is_this_host_alone_only_in_redis_url, 0, 3);
    return s;
}
