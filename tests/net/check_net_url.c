/* SPDX-License-Identifier: MIT */
/* check_net_url.c - which URLs are accepted, which are refused, and that nothing of them leaks. */
#include "net/net.h"
#include "tests/suite.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, BAD_URLS_MAX = 16 };

/* The output of parsing: result, endpoint, reason, texts. */
struct parsed {
    struct rdl_endpoint ep;
    const char *why;
    int rc;
    char text[TEXT];
};

/*
 * The URL and the text buffer of the promised size each end their own block: the sanitizer sees every access
 * beyond.
 */
static void parse(struct parsed *p, const char *url, size_t len)
{
    char *copy = malloc(len + 1);
    char *text = malloc(len + 1);

    ck_assert(copy && text && len < TEXT);
    memcpy(copy, url, len);
    copy[len] = '\0';
    memset(text, 'x', len + 1);
    memset(p, 0x55, sizeof *p);
    p->rc = rdl_url_parse(&p->ep, copy, text, len + 1, &p->why);
    memcpy(p->text, text, len + 1);
    if (p->ep.host)
        p->ep.host = p->text + (p->ep.host - text);
    if (p->ep.user.data)
        p->ep.user.data = p->text + ((const char *)p->ep.user.data - text);
    if (p->ep.password.data)
        p->ep.password.data = p->text + ((const char *)p->ep.password.data - text);
    free(copy);
    free(text);
}

static int is_text(struct rdl_bytes b, const char *s)
{
    return b.len == strlen(s) && (b.len == 0 || memcmp(b.data, s, b.len) == 0);
}

/* ---------------------------------------------------------------- good ones */

#define L10  "abcdefghij"
#define L60  L10 L10 L10 L10 L10 L10
#define L63  L60 "abc"
#define L253 L63 "." L63 "." L63 "." L60 "a"

static const struct {
    enum rdl_address_family family;
    unsigned port, db, scope;
    const char *url, *user, *password, *host; /* the address is that of host, without its zone */
} good[] = {
    {RDL_INET, 6379, 0, 0, "redis://127.0.0.1", "", "", "127.0.0.1"},
    {RDL_INET, 1, 0, 0, "redis://127.0.0.1:1/0", "", "", "127.0.0.1"},
    {RDL_INET, 65535, 15, 0, "redis://255.255.255.255:65535/15", "", "", "255.255.255.255"},
    {RDL_INET, 6379, 2147483647u, 0, "redis://0.0.0.0/2147483647", "", "", "0.0.0.0"},
    {RDL_INET, 6379, 0, 0, "redis://127%2e0.0.1", "", "", "127.0.0.1"},
    {RDL_INET, 6379, 0, 0, "redis://:secret@10.0.0.1", "", "secret", "10.0.0.1"},
    {RDL_INET, 7000, 3, 0, "redis://me:secret@10.0.0.1:7000/3", "me", "secret", "10.0.0.1"},
    {RDL_INET, 6379, 0, 0, "redis://me:@10.0.0.1", "me", "", "10.0.0.1"},
    {RDL_INET, 6379, 0, 0, "redis://:a@b:c@10.0.0.1", "", "a@b:c", "10.0.0.1"},
    {RDL_INET, 6379, 0, 0, "redis://:p@@10.0.0.1", "", "p@", "10.0.0.1"},
    {RDL_INET, 6379, 0, 0, "redis://m%3ae:%40%2F%3f%23%25%20@10.0.0.1", "m:e", "@/?#% ", "10.0.0.1"},
    {RDL_INET, 6379, 0, 0, "redis://:\xc3\xa9%C3%A9@10.0.0.1", "", "\xc3\xa9\xc3\xa9", "10.0.0.1"},
    {RDL_INET6, 6379, 0, 0, "redis://[::1]/", "", "", "::1"},
    {RDL_INET6, 7, 2, 0, "redis://[::1]:7/2", "", "", "::1"},
    {RDL_INET6, 7, 0, 0, "redis://u:p@[::1]:7", "u", "p", "::1"},
    {RDL_INET6, 6379, 0, 2, "redis://[fe80::1%252]/", "", "", "fe80::1%2"},
    {RDL_INET6, 6379, 0, 2147483647u, "redis://[fe80::1%252147483647]", "", "", "fe80::1%2147483647"},
    {RDL_UNRESOLVED, 6379, 0, 0, "redis://localhost", "", "", "localhost"},
    {RDL_UNRESOLVED, 6380, 1, 0, "redis://Ca-1.example_net.:6380/1", "", "", "Ca-1.example_net."},
    {RDL_UNRESOLVED, 6379, 0, 0, "redis://4f5e0a", "", "", "4f5e0a"},
    {RDL_UNRESOLVED, 6379, 0, 0, "redis://AZ.az", "", "", "AZ.az"},
    {RDL_UNRESOLVED, 6379, 0, 0, "redis://" L253, "", "", L253},
    {RDL_UNRESOLVED, 6379, 0, 0, "redis://1.2.3.4.in-addr.arpa", "", "", "1.2.3.4.in-addr.arpa"},
    {RDL_UNIX, 0, 0, 0, "unix:///run/redis.sock", "", "", "/run/redis.sock"},
    {RDL_UNIX, 0, 0, 0, "unix:///" L60 L10 L10 L10 L10 "abcdef", "", "", "/" L60 L10 L10 L10 L10 "abcdef"},
    {RDL_UNIX, 0, 7, 0, "unix:///run/redis.sock?db=7", "", "", "/run/redis.sock"},
    {RDL_UNIX, 0, 0, 0, "unix:///a%20b%3fc@d:e%25?db=0", "", "", "/a b?c@d:e%"},
    {RDL_UNIX, 0, 0, 0, "unix://:secret@/run/s", "", "secret", "/run/s"},
    {RDL_UNIX, 0, 3, 0, "unix://me:a@b%2f%40@/run/x@y/s?db=3", "me", "a@b/@", "/run/x@y/s"},
    {RDL_UNIX, 0, 0, 0, "unix://me:@/s", "me", "", "/s"},
};

enum { GOOD = sizeof good / sizeof good[0] };

static void check_good(size_t i)
{
    struct parsed p;
    uint8_t ip[16] = {0};
    char text[64];

    parse(&p, good[i].url, strlen(good[i].url));
    ck_assert_msg(p.rc == RDL_OK, "%s: %s", good[i].url, p.why ? p.why : "no reason");
    ck_assert_msg(p.why == NULL, "%s: a reason without an error", good[i].url);
    ck_assert_str_eq(p.ep.host, good[i].host);
    ck_assert_msg(is_text(p.ep.user, good[i].user), "user of %s", good[i].url);
    ck_assert_msg(is_text(p.ep.password, good[i].password), "password of %s", good[i].url);
    ck_assert_uint_eq(p.ep.client_name.len, 0);
    ck_assert_uint_eq(p.ep.port, good[i].port);
    ck_assert_uint_eq(p.ep.db, good[i].db);
    ck_assert_uint_eq(p.ep.scope, good[i].scope);
    ck_assert_uint_eq(p.ep.family, good[i].family);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(good[i].host, "%"), good[i].host);
    if (good[i].family == RDL_INET || good[i].family == RDL_INET6)
        ck_assert_int_eq(inet_pton(good[i].family == RDL_INET ? AF_INET : AF_INET6, text, ip), 1);
    ck_assert_msg(memcmp(p.ep.ip, ip, 16) == 0, "address of %s", good[i].url);
}

START_TEST(valid_url_is_parsed)
{
    size_t i;

    for (i = 0; i < GOOD; i++)
        check_good(i);
}
END_TEST

/* ---------------------------------------------------------------- bad ones */

/* URLs, and a word that must be in the reason for their refusal. */
static const struct {
    const char *word;
    const char *urls[BAD_URLS_MAX];
} bad[] = {
    {"redis://",
     {"", "localhost", "127.0.0.1:6379", "redis:", "redis:/", "redis:127.0.0.1", "REDIS://127.0.0.1",
      "http://127.0.0.1", "redis+unix:///s", "rediss", "unix:", "unix:/run/s"}},
    {"space", {" redis://127.0.0.1", "redis://127.0.0.1 ", "redis://:pass word@h", "redis://[::1 ]"}},
    {"TLS is not built in", {"rediss://127.0.0.1"}},
    {"tunnel", {"rediss://u:secret@h:1/0"}},
    {"control", {"redis://127.0.0.1\n", "redis://127.0.0.1\x7f"}},
    {"#", {"redis://127.0.0.1#x", "redis://:a#b@h", "unix:///s#"}},
    {"user or a password", {"redis://x@h", "redis://@h", "redis://x@h:6379", "redis://x@h/0:1"}},
    {"before the @", {"redis://:@h"}},
    {"%2F", {"redis://:a/b@h", "redis://h:1/0@evil"}},
    {"%3F", {"redis://:a?b@h"}},
    {"host is missing",
     {"redis://:secret@", "redis://", "redis:///0", "redis://:6379", "redis://?db=1", "redis://[]",
      "redis://::1"}},
    {"hexadecimal",
     {"redis://:a%@h", "redis://:a%4@h", "redis://:a%4g@h", "redis://:a%g4@h", "redis://:%%41@h",
      "redis://u%:p@h", "redis://:%+1@h", "redis://%", "redis://h%0", "redis://[fe80::1%2]",
      "redis://[fe80::1%eth0]", "unix:///s%0"}},
    {"NUL",
     {"redis://%00", "redis://h%00.example.org", "redis://127.0.0.1%00", "redis://[::1%00]", "unix:///s%00"}},
    {"host name",
     {"redis://127.0.0", "redis://127.1", "redis://2130706433", "redis://0x7f000001", "redis://0X1",
      "redis://0X7f.0.0.0x1", "redis://127.0.0.01", "redis://127.0.0.256", "redis://127.0.0.1.",
      "redis://127.0.0.1.1", "redis://.127.0.0.1", "redis://127..0.1", "redis://a.9"}},
    {"host name",
     {"redis://4294967297.0.0.1", "redis://.", "redis://a..b", "redis://a..", "redis://.a", "redis://-a",
      "redis://a-", "redis://a.-b", "redis://a-.b", "redis://a%20b", "redis://a%2fb", "redis://h\xc3\xa9"}},
    {"host name",
     {"redis://a,b", "redis://" L63 "d", "redis://a." L63 "d.b", "redis://a[::1]",
      "redis://" L63 "." L63 "." L63 "." L63}},
    {"]", {"redis://[", "redis://[::1", "redis://[::1:6379", "redis://[::1%251"}},
    {"IPv6", {"redis://[:]", "redis://[127.0.0.1]", "redis://[localhost]"}},
    {"zone",
     {"redis://[fe80::1%25]", "redis://[fe80::1%25eth0]", "redis://[fe80::1%250]", "redis://[fe80::1%2502]",
      "redis://[fe80::1%252x]", "redis://[fe80::1%252%253]", "redis://[fe80::1%252147483648]"}},
    {"end with",
     {"redis://[::1]x", "redis://[::1]6379", "redis://[::1]]", "redis://h:1x", "redis://h:1:2",
      "redis://h/0x", "redis://h/0/", "redis://h/0?", "redis://h?db=0", "redis://h:1?db=0"}},
    {"[]", {"redis://fe80::1", "redis://fe80::1:6379"}},
    {"port",
     {"redis://h:", "redis://h:/0", "redis://h:0", "redis://h:00", "redis://h:06379", "redis://h:65536",
      "redis://h:4294967297", "redis://h:18446744073709551617", "redis://h:-1", "redis://h:+1", "redis://h:x",
      "redis://h:%31"}},
    {"port", {"redis://[::1]:"}},
    {"database",
     {"redis://h/x", "redis://h/-1", "redis://h/01", "redis://h/2147483648", "redis://h/4294967296",
      "redis://h/99999999999999999999", "redis://h//", "redis://h/%30"}},
    {"absolute",
     {"unix://", "unix:///", "unix://run/s", "unix://?db=1", "unix://:secret@", "unix://:secret@?db=1",
      "unix://:secret@/", "unix://:secret@h/run/s"}},
    {"%2F", {"unix://:sec/ret@/run/s", "unix://:sec?ret@/run/s"}},
    {"user:@", {"unix://me@/run/s", "unix://@/run/s"}},
    {"only a :", {"unix://:@/run/s"}},
    {"hexadecimal", {"unix://:%2@/run/s", "unix://%:secret@/run/s"}},
    {"107", {"unix:///" L60 L10 L10 L10 L10 "abcdefg"}},
    {"?db=",
     {"unix:///s?", "unix:///s?db", "unix:///s?db=", "unix:///s?db=x", "unix:///s?db=1x",
      "unix:///s?db=1&db=2", "unix:///s?db=1?db=2", "unix:///s?DB=1", "unix:///s?x=1", "unix:///s?x=1&db=1",
      "unix:///s?d%62=1", "unix:///s?password=secret"}},
    {"unix://user:password@/path", {"unix:///s?password=secret", "unix:///s?db=0&password=secret"}},
};

/* Call check for each bad URL, with the word for its reason. */
static void for_each_bad(void (*check)(const char *url, const char *word))
{
    size_t i, k;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (k = 0; k < BAD_URLS_MAX && bad[i].urls[k] != NULL; k++)
            check(bad[i].urls[k], bad[i].word);
}

/* Returns whether each byte is a or b. */
static int is_made_of(const void *p, size_t n, char a, char b)
{
    const char *byte = p;
    size_t i;

    for (i = 0; i < n; i++)
        if (byte[i] != a && byte[i] != b)
            return 0;
    return 1;
}

static void is_refused(const char *url, const char *word)
{
    struct parsed p;

    parse(&p, url, strlen(url));
    ck_assert_msg(p.rc == RDL_E_URL, "%s: %d", url, p.rc);
    ck_assert_msg(p.why && strstr(p.why, word), "%s: %s", url, p.why ? p.why : "no reason");
    ck_assert_msg(is_made_of(&p.ep, sizeof p.ep, 0, 0), "%s: left in the endpoint", url);
    ck_assert_msg(is_made_of(p.text, strlen(url) + 1, 'x', 0), "%s: left in the texts", url);
}

START_TEST(invalid_url_is_refused_with_a_reason)
{
    for_each_bad(is_refused);
}
END_TEST

START_TEST(refusal_reason_repeats_nothing_of_the_url)
{
    static const char *const urls[] = {
        "redis://Zq7:Zq7%@h", "redis://Zq7@h",        "redis://:Zq7@h:0",      "redis://:Zq7@h/Zq7",
        "redis://:Zq7@[Zq7]", "redis://:Zq7/Zq7@Zq7", "rediss://:Zq7@Zq7/Zq7", "Zq7://:Zq7@h",
        "unix:///Zq7?Zq7=1",  "redis://:Zq7@h Zq7",   "unix://:Zq7@Zq7",       "redis://:Zq7@Zq7-",
    };
    struct parsed p;
    size_t i;

    for (i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        parse(&p, urls[i], strlen(urls[i]));
        ck_assert_msg(p.rc == RDL_E_URL && p.why != NULL, "%s", urls[i]);
        ck_assert_msg(strstr(p.why, "Zq7") == NULL, "%s: %s", urls[i], p.why);
    }
}
END_TEST

/* ---------------------------------------------------------------- truncated and changed URLs */

/* Gives either an endpoint or a reason, without a crash or an access beyond the buffers (see parse). */
static void survives(const char *url, size_t len)
{
    struct parsed p;

    parse(&p, url, len);
    ck_assert(p.rc == RDL_OK || p.rc == RDL_E_URL);
    ck_assert((p.rc == RDL_OK) == (p.why == NULL));
    ck_assert((p.rc == RDL_OK) == (p.ep.host != NULL));
}

static void survives_all_cuts_and_changes(const char *url, const char *word)
{
    static const char bytes[] = "%:/@[]?#.-09fgx=\x01\x80\xff";
    char text[TEXT];
    size_t len = strlen(url);
    size_t i;
    size_t k;

    (void)word;
    memcpy(text, url, len + 1);
    for (i = 0; i <= len; i++)
        survives(url, i);
    for (i = 0; i < len; i++) {
        for (k = 0; k < sizeof bytes; k++) { /* including the final NUL */
            text[i] = bytes[k];
            survives(text, strlen(text));
        }
        text[i] = url[i];
    }
}

START_TEST(truncated_and_changed_urls_do_no_harm)
{
    size_t i;

    for (i = 0; i < GOOD; i++)
        survives_all_cuts_and_changes(good[i].url, NULL);
    for_each_bad(survives_all_cuts_and_changes);
}
END_TEST

START_TEST(short_text_buffer_is_refused_unchanged)
{
    const char *url = "redis://me:secret@127.0.0.1:6379/1";
    size_t cap;

    for (cap = 0; cap <= strlen(url); cap++) {
        struct rdl_endpoint ep;
        char text[64];
        const char *why = NULL;
        memset(text, 'x', sizeof text);
        ck_assert_int_eq(rdl_url_parse(&ep, url, text, cap, &why), RDL_E_SPACE);
        ck_assert_ptr_nonnull(why);
        ck_assert_int_eq(rdl_url_parse(&ep, url, text, cap, NULL), RDL_E_SPACE);
        ck_assert(is_made_of(text, sizeof text, 'x', 'x'));
    }
}
END_TEST

START_TEST(password_may_hold_any_byte)
{
    char url[TEXT] = "redis://:";
    struct parsed p;
    unsigned i;

    for (i = 0; i < 256; i++)
        snprintf(url + strlen(url), 4, "%%%02X", i);
    strcat(url, "@h");
    parse(&p, url, strlen(url));
    ck_assert_int_eq(p.rc, RDL_OK);
    ck_assert_uint_eq(p.ep.password.len, 256);
    for (i = 0; i < 256; i++)
        ck_assert_uint_eq(((const uint8_t *)p.ep.password.data)[i], i);
}
END_TEST

/* ---------------------------------------------------------------- addresses, against the C library */

static void compare_ip6(const char *address)
{
    struct parsed p;
    uint8_t ip[16];
    char url[128];
    int is_valid = inet_pton(AF_INET6, address, ip) == 1;

    snprintf(url, sizeof url, "redis://[%s]", address);
    parse(&p, url, strlen(url));
    ck_assert_msg((p.rc == RDL_OK) == is_valid, "%s: %d", address, p.rc);
    if (is_valid)
        ck_assert_msg(memcmp(p.ep.ip, ip, 16) == 0, "%s", address);
}

/* Any number of groups with a gap at any place, and each of them followed by an IPv4 address, too. */
static void compare_gaps(int groups, int gap)
{
    char address[64] = "";
    int i;

    for (i = 0; i < groups; i++)
        snprintf(address + strlen(address), 8, "%s%x", i == gap ? "::" : i > 0 ? ":" : "", 0x1111 * (i + 1));
    if (gap == groups)
        strcat(address, "::");
    compare_ip6(address);
    strcat(address, ":9.8.7.6");
    compare_ip6(address);
}

START_TEST(ipv6_addresses_are_read_as_by_inet_pton)
{
    static const char *const pieces[] = {":",    ":",     "::", "1",       "ab",  "FFFF", "0",
                                         "0000", "12345", "g",  "1.2.3.4", "1.2", ".",    "255.255.255.256"};
    uint32_t seed = 1;
    int valid = 0;
    int gap;
    int i;

    for (i = 0; i <= 9; i++)
        for (gap = -1; gap <= i; gap++)
            compare_gaps(i, gap);

    for (i = 0; i < 50000; i++) {
        char address[128] = "";
        uint8_t ip[16];
        unsigned n;
        seed = seed * 1664525u + 1013904223u;
        for (n = 1 + (seed >> 16) % 16; n > 0; n--) {
            seed = seed * 1664525u + 1013904223u;
            strcat(address, n % 2 ? pieces[(seed >> 16) % 14] : pieces[(seed >> 16) % 3]);
        }
        valid += inet_pton(AF_INET6, address, ip) == 1;
        compare_ip6(address);
    }
    ck_assert_int_gt(valid, 500); /* else the pieces test too little */
}
END_TEST

Suite *suite_net_url(void)
{
    Suite *suite = suite_create("net_url");
    TCase *tc = suite_case(suite, "urls", NULL, NULL);

    tcase_add_test(tc, valid_url_is_parsed);
    tcase_add_test(tc, invalid_url_is_refused_with_a_reason);
    tcase_add_test(tc, refusal_reason_repeats_nothing_of_the_url);
    tcase_add_test(tc, truncated_and_changed_urls_do_no_harm);
    tcase_add_test(tc, short_text_buffer_is_refused_unchanged);
    tcase_add_test(tc, password_may_hold_any_byte);
    tcase_add_test(tc, ipv6_addresses_are_read_as_by_inet_pton);
    return suite;
}
