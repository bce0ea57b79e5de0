/* SPDX-License-Identifier: MIT */
/* check_sentinel_url.c - URLs of Sentinel groups: what they mean, and which are refused. */
#include "redlock/easy/sentinel.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rdl_sentinel group;
static struct rdl_endpoint master;
static const char *why;

/* The URL ends its own block: the sanitizer sees every access beyond. */
static int parse(const char *url)
{
    char *copy = malloc(strlen(url) + 1);
    int rc;

    ck_assert_ptr_nonnull(copy);
    strcpy(copy, url);
    memset(&group, 0x55, sizeof group);
    memset(&master, 0x55, sizeof master);
    why = NULL;
    rc = rdl_sentinel_parse(&group, &master, copy, &why);
    free(copy);
    return rc;
}

/* The sentinels as "host:port host:port". */
static const char *list(void)
{
    static char text[RDL_SENTINEL_URL_MAX];
    size_t len = 0;

    for (int i = 0; i < group.n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s:%u", i > 0 ? " " : "",
                                group.list[i].host, group.list[i].port);
    return text;
}

static int is_text(struct rdl_bytes b, const char *s)
{
    return b.len == strlen(s) && (b.len == 0 || memcmp(b.data, s, b.len) == 0);
}

#define L10  "abcdefghij"
#define L60  L10 L10 L10 L10 L10 L10
#define L63  L60 "abc"
#define L128 L60 L60 "abcdefgh"
#define L253 L63 "." L63 "." L63 "." L60 "a"

static const struct {
    const char *url, *sentinels, *name, *user, *password;
    unsigned db, names;
    int is_tls, is_sentinel_tls;
} good[] = {
    {"redis-sentinel://10.0.0.1/g", "10.0.0.1:26379", "g", "", "", 0, 0, 0, 0},
    {"valkey-sentinel://10.0.0.1/g/", "10.0.0.1:26379", "g", "", "", 0, 0, 0, 0},
    {"redis-sentinel://10.0.0.1:1,b:65535,10.0.0.3/my.M-9_x/15", "10.0.0.1:1 b:65535 10.0.0.3:26379",
     "my.M-9_x", "", "", 15, 2, 0, 0},
    {"redis-sentinel://a,b,c,d,e/g", "a:26379 b:26379 c:26379 d:26379 e:26379", "g", "", "", 0, 31, 0, 0},
    {"redis-sentinel://[::1],[fe80::1%252]:7/g", "::1:26379 fe80::1%2:7", "g", "", "", 0, 0, 0, 0},
    {"redis-sentinel://:p@10.0.0.1/g", "10.0.0.1:26379", "g", "", "p", 0, 0, 0, 0},
    {"redis-sentinel://me:a@b%2f%25,:c@10.0.0.1/g/3", "10.0.0.1:26379", "g", "me", "a@b/%,:c", 3, 0, 0, 0},
    {"redis-sentinel://a6/" L128, "a6:26379", L128, "", "", 0, 1, 0, 0},
    {"redis-sentinel://" L253 "/g", L253 ":26379", "g", "", "", 0, 1, 0, 0},
    {"rediss-sentinel://a/g", "a:26379", "g", "", "", 0, 1, 1, 1},
    {"valkeys-sentinel://a/g", "a:26379", "g", "", "", 0, 1, 1, 1},
    {"rediss-sentinel://a/g/1?sentinel-tls=no", "a:26379", "g", "", "", 1, 1, 1, 0},
    {"valkeys-sentinel://a/g?sentinel-tls=no", "a:26379", "g", "", "", 0, 1, 1, 0},
};

START_TEST(a_group_has_sentinels_a_name_and_a_login)
{
    ck_assert_msg(parse(good[_i].url) == RDL_OK, "%s", why);
    ck_assert_str_eq(list(), good[_i].sentinels);
    ck_assert_str_eq(group.name, good[_i].name);
    ck_assert_str_eq(master.host, "");
    ck_assert_uint_eq(master.family, RDL_UNRESOLVED);
    ck_assert_uint_eq(master.port, 0);
    ck_assert_uint_eq(master.db, good[_i].db);
    ck_assert(is_text(master.user, good[_i].user) && is_text(master.password, good[_i].password));
    ck_assert_uint_eq(group.names, good[_i].names);
    ck_assert_int_eq(group.is_tls, good[_i].is_tls);
    ck_assert_int_eq(group.is_sentinel_tls, good[_i].is_sentinel_tls);
    for (int i = 0; i < group.n; i++)
        ck_assert(group.list[i].password.len == 0 && group.list[i].db == 0);
}
END_TEST

#define NO_SCHEME                                                                                            \
    "a group's URL begins with redis-sentinel://, valkey-sentinel://, rediss-sentinel:// or "                \
    "valkeys-sentinel://"
#define NO_NAME  "the group's name is missing: redis-sentinel://host1,host2/NAME"
#define BAD_NAME "a group's name has 1 to 128 letters, digits and ._- bytes"
#define NO_QUERY "only ?sentinel-tls=no may follow, after rediss-sentinel:// or valkeys-sentinel://"

static const struct {
    const char *url, *why; /* NULL: any text of net_url.c */
} bad[] = {
    {"", NO_SCHEME},
    {"redis://a/g", NO_SCHEME},
    {"Redis-sentinel://a/g", NO_SCHEME},
    {"foo-sentinel://a/g", NO_SCHEME},
    {"redis-sentinel:/a/g", NO_SCHEME},
    {"redis-sentinel://", NO_NAME},
    {"redis-sentinel://a", NO_NAME},
    {"redis-sentinel://a?sentinel-tls=no", NO_NAME},
    {"redis-sentinel://a/", BAD_NAME},
    {"redis-sentinel://a//0", BAD_NAME},
    {"redis-sentinel://a/g%20", BAD_NAME},
    {"redis-sentinel://a/g g", BAD_NAME},
    {"redis-sentinel://a/" L128 "x", BAD_NAME},
    {"redis-sentinel:///g", "a sentinel is missing before or after a comma"},
    {"redis-sentinel://a,/g", "a sentinel is missing before or after a comma"},
    {"redis-sentinel://,a/g", "a sentinel is missing before or after a comma"},
    {"redis-sentinel://a,,b/g", "a sentinel is missing before or after a comma"},
    {"redis-sentinel://a,b,c,d,e,f/g", "a group has at most 5 sentinels"},
    {"redis-sentinel://a/g?", NO_QUERY},
    {"redis-sentinel://a/g?sentinel-tls=no", NO_QUERY},
    {"rediss-sentinel://a/g?sentinel-tls=yes", NO_QUERY},
    {"rediss-sentinel://a/g?sentinel-tls=no&x", NO_QUERY},
    {"redis-sentinel://a/g/x", NULL},
    {"redis-sentinel://a/g/1/2", NULL},
    {"redis-sentinel://a/g/2147483648", NULL},
    {"redis-sentinel://a:/g", NULL},
    {"redis-sentinel://a:0/g", NULL},
    {"redis-sentinel://a:65536/g", NULL},
    {"redis-sentinel://:1/g", NULL},
    {"redis-sentinel://a b/g", NULL},
    {"redis-sentinel://[::1/g", NULL},
    {"redis-sentinel://[::1]x/g", NULL},
    {"redis-sentinel://1.2.3/g", NULL},
    {"redis-sentinel://" L253 "x/g", NULL},
    {"redis-sentinel://p@a/g", NULL},
    {"redis-sentinel://:p/q@a/g", NULL},
    {"redis-sentinel://:p%2@a/g", NULL},
};

/* The text is constant, so it has nothing of the URL; and nothing of the password remains. */
START_TEST(another_url_is_refused_with_the_reason)
{
    static const struct rdl_endpoint none;
    static const struct rdl_sentinel nothing;

    ck_assert_int_eq(parse(bad[_i].url), RDL_E_URL);
    ck_assert_ptr_nonnull(why);
    if (bad[_i].why != NULL)
        ck_assert_str_eq(why, bad[_i].why);
    ck_assert(memcmp(&group, &nothing, sizeof group) == 0 && memcmp(&master, &none, sizeof master) == 0);
    ck_assert_int_eq(rdl_sentinel_parse(&group, &master, bad[_i].url, NULL), RDL_E_URL);
}
END_TEST

/* Every length up to the limit, with the texts that need the most room. */
START_TEST(a_url_is_parsed_or_refused_by_its_length)
{
    static char url[RDL_SENTINEL_URL_MAX + 40];
    int longest = 0;

    for (int n = 1; n < RDL_SENTINEL_URL_MAX; n++) {
        int len = snprintf(url, sizeof url, "redis-sentinel://:%0*d@a,b,c,d,e/g/1", n, 7);
        int rc = parse(url);
        if (rc == RDL_OK) {
            ck_assert(longest == 0 || longest == len - 1);
            longest = len;
            ck_assert_uint_eq(master.password.len, (size_t)n);
            ck_assert_str_eq(list(), "a:26379 b:26379 c:26379 d:26379 e:26379");
            ck_assert_str_eq(group.name, "g");
        } else {
            ck_assert_str_eq(why, "the URL is too long");
        }
    }
    ck_assert_int_gt(longest, 700);
}
END_TEST

Suite *suite_sentinel_url(void)
{
    Suite *suite = suite_create("sentinel_url");
    TCase *tc = suite_case(suite, "url", NULL, NULL);

    tcase_add_loop_test(tc, a_group_has_sentinels_a_name_and_a_login, 0, COUNT(good));
    tcase_add_loop_test(tc, another_url_is_refused_with_the_reason, 0, COUNT(bad));
    tcase_add_test(tc, a_url_is_parsed_or_refused_by_its_length);
    return suite;
}
