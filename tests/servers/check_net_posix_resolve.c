/* SPDX-License-Identifier: MIT */
/* check_net_posix_resolve.c - which address of a host name is used. The test supplies the resolver. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/net_posix_resolve.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/resolver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct rdl_endpoint endpoint;
static char all[RDL_ADDRESSES_MAX];
static const char *why;

static void setup(void)
{
    resolver_begin();
    memset(&endpoint, 0, sizeof endpoint);
    endpoint.host = "a.test";
    endpoint.port = 1;
    why = NULL;
}

static enum rdl_resolved resolve(int any)
{
    return rdl_posix_resolve(&endpoint, any, &why, all);
}

/* The address that the endpoint has now, as text. */
static const char *address(void)
{
    static char text[INET6_ADDRSTRLEN];

    return endpoint.family == RDL_UNRESOLVED
               ? ""
               : inet_ntop(endpoint.family == RDL_INET ? AF_INET : AF_INET6, endpoint.ip, text, sizeof text);
}

/* Makes these the addresses of the name, at this port. */
static void set(int port, const char *const *ips)
{
    resolver_set("a.test", NULL, 0);
    for (; *ips != NULL; ips++)
        resolver_add("a.test", *ips, port);
}

/* A socket that listens at ip, and its port. At most one connection waits in it. */
static int listen_at(const char *ip, int *port)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    int is_v6 = strchr(ip, ':') != NULL;
    struct sockaddr *a = is_v6 ? (struct sockaddr *)&in6 : (struct sockaddr *)&in;
    socklen_t len = is_v6 ? sizeof in6 : sizeof in;
    int fd = socket(a->sa_family, SOCK_STREAM, 0);

    inet_pton(a->sa_family, ip, is_v6 ? (void *)&in6.sin6_addr : (void *)&in.sin_addr);
    ck_assert_int_eq(bind(fd, a, len) | listen(fd, 0) | getsockname(fd, a, &len), 0);
    *port = ntohs(is_v6 ? in6.sin6_port : in.sin_port);
    return fd;
}

/* ---------------------------------------------------------------- without looking who listens */

START_TEST(the_only_address_of_a_name_is_used)
{
    static const char *const ips[] = {"192.0.2.1", "2001:db8::1"};

    set(6379, (const char *const[]){ips[_i], NULL});
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(address(), ips[_i]);
    ck_assert_str_eq(all, ips[_i]);
}
END_TEST

START_TEST(an_ipv4_address_is_used_rather_than_an_ipv6_address)
{
    set(6379, (const char *const[]){"2001:db8::1", "192.0.2.1", NULL});
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(address(), "192.0.2.1");
    ck_assert_str_eq(all, "192.0.2.1, 2001:db8::1");
    /* one of them is this host, the other may be any */
    set(6379, (const char *const[]){"::1", "192.0.2.1", NULL});
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(address(), "192.0.2.1");
    set(1, (const char *const[]){"2001:db8::1", "127.0.0.1", NULL});
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(address(), "127.0.0.1");
}
END_TEST

START_TEST(several_addresses_of_one_kind_are_no_result)
{
    static const char *const some[][4] = {{"192.0.2.1", "192.0.2.2"},
                                          {"2001:db8::1", "2001:db8::2"},
                                          {"192.0.2.1", "2001:db8::1", "2001:db8::2"}};

    set(6379, some[_i]);
    ck_assert_int_eq(resolve(0), RDL_RESOLVED_SEVERAL);
    ck_assert_int_eq(endpoint.family, RDL_UNRESOLVED);
}
END_TEST

START_TEST(an_address_that_is_listed_twice_counts_once)
{
    set(6379, (const char *const[]){"192.0.2.1", "2001:db8::1", "192.0.2.1", NULL});
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(all, "192.0.2.1, 2001:db8::1");
}
END_TEST

START_TEST(a_name_without_an_address_says_why)
{
    ck_assert_int_eq(resolve(0), RDL_RESOLVED_NONE);
    ck_assert_ptr_nonnull(why);
    resolver_fail("a.test", 1);
    ck_assert_int_eq(resolve(0), RDL_RESOLVED_LATER);
    ck_assert_ptr_nonnull(why);
    resolver_fail("a.test", 0);
    set(6379, (const char *const[]){"another family", NULL});
    ck_assert_int_eq(resolve(0), RDL_RESOLVED_NONE);
    ck_assert_str_eq(why, "it has neither IPv4 nor IPv6");
    ck_assert_int_eq(endpoint.family, RDL_UNRESOLVED);
}
END_TEST

START_TEST(the_list_of_addresses_may_be_left_out)
{
    set(6379, (const char *const[]){"192.0.2.1", NULL});
    ck_assert_int_eq(rdl_posix_resolve(&endpoint, 0, &why, NULL), RDL_RESOLVED);
}
END_TEST

START_TEST(addresses_that_do_not_fit_are_left_out_of_the_list)
{
    static const char longest[] = "2001:db8:1111:1111:1111:1111:1111:1110";
    size_t each = sizeof longest + 1; /* with ", " */
    int n;

    for (n = 0; n < 11; n++) {
        char ip[sizeof longest];
        memcpy(ip, longest, sizeof ip);
        ip[sizeof ip - 2] = "0123456789a"[n];
        resolver_add("a.test", ip, 6379);
    }
    ck_assert_int_eq(resolve(0), RDL_RESOLVED_SEVERAL);
    ck_assert_uint_eq(strlen(all), (RDL_ADDRESSES_MAX - 1 + 2) / each * each - 2);
}
END_TEST

/* Ten addresses of 38 and 39 bytes, and ", ": 399 bytes with one that is longer, 400 with two. */
START_TEST(a_list_of_addresses_may_fill_its_buffer_to_the_last_byte)
{
    char ip[INET6_ADDRSTRLEN];

    for (int n = 0; n < 10; n++) {
        snprintf(ip, sizeof ip, "2001:%sdb8:1111:1111:1111:1111:1111:111%d", n <= _i ? "1" : "", n);
        resolver_add("a.test", ip, 6379);
    }
    ck_assert_int_eq(resolve(0), RDL_RESOLVED_SEVERAL);
    ck_assert_uint_eq(strlen(all), _i == 0 ? RDL_ADDRESSES_MAX - 1 : RDL_ADDRESSES_MAX - 40);
}
END_TEST

/* ---------------------------------------------------------------- looking who listens */

START_TEST(of_any_addresses_the_first_where_a_server_listens_is_used)
{
    static const char *const servers[] = {"127.0.0.3", "::1"};
    int port, fd = listen_at(servers[_i], &port);

    set(port, (const char *const[]){"127.0.0.2", "127.0.0.4", servers[_i], NULL});
    endpoint.port = (uint16_t)port;
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), servers[_i]);
    close(fd);
}
END_TEST

START_TEST(if_no_server_listens_the_old_address_is_used_else_the_first)
{
    static const char *const ips[] = {"127.0.0.2", "127.0.0.3", "another family", "::1", NULL};

    set(1, ips);
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), "127.0.0.2");
    set(1, (const char *const[]){"::1", NULL});
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    set(1, ips);
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), "::1");
    set(1, (const char *const[]){"127.0.0.5", "127.0.0.6", NULL});
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), "127.0.0.5");
}
END_TEST

START_TEST(localhost_is_its_ipv6_address_only_if_a_server_listens_there_alone)
{
    static const char *const localhost[] = {"127.0.0.1", "::1", NULL};
    int port, fd, fds;

    set(1, localhost);
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(address(), "127.0.0.1");
    fd = listen_at("::1", &port);
    set(port, localhost);
    endpoint.port = (uint16_t)port;
    fds = live_count_fds();
    ck_assert_int_eq(resolve(0), RDL_RESOLVED);
    ck_assert_str_eq(address(), "::1");
    ck_assert_int_eq(live_count_fds(), fds); /* those that asked who listens are closed */
    close(fd);
}
END_TEST

/* Nothing accepts: once its queue is full the system ignores whoever else wants to connect. */
START_TEST(a_server_that_does_not_answer_in_time_does_not_listen)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    int port, fd = listen_at("127.0.0.2", &port), i;

    in.sin_port = htons((uint16_t)port);
    inet_pton(AF_INET, "127.0.0.2", &in.sin_addr);
    for (i = 0; i < 4; i++)
        (void)!connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&in, sizeof in);
    set(port, (const char *const[]){"127.0.0.2", "127.0.0.3", NULL});
    endpoint.family = RDL_INET;
    memcpy(endpoint.ip, "\x7f\0\0\3", 4);
    endpoint.port = (uint16_t)port;
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), "127.0.0.3"); /* the old one */
    close(fd);
}
END_TEST

START_TEST(without_a_free_descriptor_no_server_listens)
{
    struct rlimit none = {0}, before;
    int port, fd = listen_at("127.0.0.3", &port);

    set(port, (const char *const[]){"127.0.0.2", "127.0.0.3", NULL});
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none.rlim_max = before.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), "127.0.0.2");
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    close(fd);
}
END_TEST

/* Descriptor 0 is free. If it is the only one, no server is asked whether it listens. */
START_TEST(resolving_does_not_use_descriptor_0)
{
    struct rlimit before, limit;
    int port, fd = listen_at("127.0.0.3", &port);

    set(port, (const char *const[]){"127.0.0.2", "127.0.0.3", NULL});
    close(0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    if (_i)
        limit.rlim_cur = 3;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_str_eq(address(), _i ? "127.0.0.2" : "127.0.0.3");
    ck_assert_int_eq(fcntl(0, F_GETFD), -1);
    close(fd);
}
END_TEST

/* It fails on a host without a route. On some hosts a connect to the host itself succeeds at once. */
START_TEST(a_connect_that_ends_at_once_shows_who_listens)
{
    set(1, (const char *const[]){"127.0.0.2", "127.0.0.3", NULL});
    endpoint.family = RDL_INET;
    memcpy(endpoint.ip, "\x7f\0\0\3", 4);
    refuse_call(SYS_connect, _i ? 0 : ENETUNREACH);
    ck_assert_int_eq(resolve(1), RDL_RESOLVED);
    ck_assert_str_eq(address(), _i ? "127.0.0.2" : "127.0.0.3"); /* the latter is the old one */
}
END_TEST

/* ---------------------------------------------------------------- two endpoints */

START_TEST(endpoints_with_one_address_and_port_are_the_same_server)
{
    const struct rdl_endpoint v4 = {.family = RDL_INET, .ip = {192, 0, 2, 1}, .port = 6379};
    const struct rdl_endpoint v6 = {.family = RDL_INET6, .ip = {0x20, 1}, .port = 6379, .scope = 1};
    const struct rdl_endpoint path = {.family = RDL_UNIX, .host = "/run/a.sock"};
    const struct rdl_endpoint name = {.family = RDL_UNRESOLVED, .host = "a.test", .port = 6379};
    struct rdl_endpoint other = v4;

    other.ip[15] = 1; /* an IPv4 address has four bytes */
    ck_assert(rdl_posix_is_same_address(&v4, &other));
    ck_assert(rdl_posix_is_same_address(&v6, &v6));
    ck_assert(rdl_posix_is_same_address(&path, &path));
    ck_assert(!rdl_posix_is_same_address(&name, &name));
    ck_assert(!rdl_posix_is_same_address(&v4, &v6));
    other.ip[3] = 2;
    ck_assert(!rdl_posix_is_same_address(&v4, &other));
    other = v4;
    other.port = 6380;
    ck_assert(!rdl_posix_is_same_address(&v4, &other));
    other = v6;
    other.scope = 2;
    ck_assert(!rdl_posix_is_same_address(&v6, &other));
    other = v6;
    other.ip[15] = 1;
    ck_assert(!rdl_posix_is_same_address(&v6, &other));
    other = path;
    other.host = "/run/b.sock";
    ck_assert(!rdl_posix_is_same_address(&path, &other));
}
END_TEST

Suite *suite_net_posix_resolve(void)
{
    Suite *suite = suite_create("net_posix_resolve");
    TCase *tc = suite_case(suite, "resolve", setup, NULL);

    tcase_add_loop_test(tc, the_only_address_of_a_name_is_used, 0, 2);
    tcase_add_test(tc, an_ipv4_address_is_used_rather_than_an_ipv6_address);
    tcase_add_loop_test(tc, several_addresses_of_one_kind_are_no_result, 0, 3);
    tcase_add_test(tc, an_address_that_is_listed_twice_counts_once);
    tcase_add_test(tc, a_name_without_an_address_says_why);
    tcase_add_test(tc, the_list_of_addresses_may_be_left_out);
    tcase_add_test(tc, addresses_that_do_not_fit_are_left_out_of_the_list);
    tcase_add_loop_test(tc, a_list_of_addresses_may_fill_its_buffer_to_the_last_byte, 0, 2);
    tcase_add_loop_test(tc, of_any_addresses_the_first_where_a_server_listens_is_used, 0, 2);
    tcase_add_test(tc, if_no_server_listens_the_old_address_is_used_else_the_first);
    tcase_add_test(tc, localhost_is_its_ipv6_address_only_if_a_server_listens_there_alone);
    tcase_add_test(tc, a_server_that_does_not_answer_in_time_does_not_listen);
    tcase_add_test(tc, without_a_free_descriptor_no_server_listens);
    tcase_add_loop_test(tc, resolving_does_not_use_descriptor_0, 0, 2);
    tcase_add_loop_test(tc, a_connect_that_ends_at_once_shows_who_listens, 0, 2);
    tcase_add_test(tc, endpoints_with_one_address_and_port_are_the_same_server);
    return suite;
}
