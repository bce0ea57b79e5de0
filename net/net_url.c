/* SPDX-License-Identifier: MIT */
/*
 * net_url.c - a strict parser for redis:// and unix:// URLs.
 *
 * A URL decides which server has a lock. So text that two programs could read differently is refused. The
 * messages are constants: a URL may contain a password, and no part of it may reach a terminal or a log.
 *
 * A parse function here moves *s after the text that it read. Its caller checks what follows.
 */
#include "net/net.h"
#include "resp/resp_bytes.h"

#include <string.h>

enum {
    DEFAULT_PORT = 6379,
    NAME_LEN_MAX = 253, /* RFC 1035 section 2.3.4, as written with dots */
    LABEL_LEN_MAX = 63,
    PATH_LEN_MAX = 107 /* Linux; net_posix.c checks the limit of its system */
};
#define DB_MAX    2147483647 /* the servers keep it in an int */
#define SCOPE_MAX 2147483647

struct url {
    struct rdl_endpoint *ep;
    char *text; /* where decoded bytes go next */
    size_t host_len;
    const char *why;
};

static int refuse(struct url *u, const char *why)
{
    u->why = why;
    return RDL_E_URL;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the first of these characters in s, or its end. */
static const char *find(const char *s, const char *set)
{
    const char *c;

    for (; *s != '\0'; s++)
        for (c = set; *c != '\0'; c++)
            if (*s == *c)
                return s;
    return s;
}

/* Parses a decimal number from 0 to max, without sign or leading zeros. */
static int parse_number(const char **s, uint32_t max, uint32_t *out)
{
    const char *start = *s;
    uint32_t v = 0;

    for (; rdl_is_digit(**s); ++*s) {
        if (v > (UINT32_MAX - 9) / 10)
            return 0;
        v = v * 10 + (uint32_t)(**s - '0');
        if (v > max)
            return 0;
    }
    *out = v;
    return *s != start && (*start != '0' || *s == start + 1);
}

/* ---------------------------------------------------------------- texts */

/* Percent-decodes [s, end) into the text buffer, and sets *out to the result. */
static int decode(struct url *u, const char *s, const char *end, struct rdl_bytes *out)
{
    char *start = u->text;

    while (s != end) {
        char c = *s++;
        if (c == '%') {
            int hi = rdl_hex_value(s[0]); /* the end of a text is no such digit */
            int lo = hi >= 0 ? rdl_hex_value(s[1]) : -1;
            if (lo < 0)
                return refuse(u, "a % is not followed by two hexadecimal digits");
            c = (char)(hi * 16 + lo);
            s += 2;
        }
        *u->text++ = c;
    }
    out->data = start;
    out->len = (size_t)(u->text - start);
    return RDL_OK;
}

/* Does the same for ep->host, which ends with a NUL and so must not contain one. */
static int decode_host(struct url *u, const char *s, const char *end)
{
    struct rdl_bytes host = {NULL, 0};
    int rc = decode(u, s, end, &host);

    if (rc != RDL_OK)
        return rc;
    *u->text++ = '\0';
    u->ep->host = host.data;
    u->host_len = host.len;
    return find(u->ep->host, "") == u->text - 1 ? RDL_OK
                                                : refuse(u, "a host or path must not contain a NUL byte");
}

/* ---------------------------------------------------------------- addresses */

/* Parses four decimal numbers. Forms that only some programs read (1.2, 010.0.0.1, 0x7f.1) are refused. */
static int parse_ip4(const char **s, uint8_t *ip)
{
    int i;

    for (i = 0; i < 4; i++) {
        uint32_t v;
        if (i > 0 && *(*s)++ != '.')
            return 0;
        if (!parse_number(s, 255, &v))
            return 0;
        ip[i] = (uint8_t)v;
    }
    return 1;
}

/* Parses one to four hexadecimal digits. */
static int parse_group(const char **s, uint8_t *ip)
{
    uint32_t v = 0;
    int n;

    for (n = 0; n < 4 && rdl_hex_value(**s) >= 0; n++)
        v = v * 16 + (uint32_t)rdl_hex_value(*(*s)++);
    ip[0] = (uint8_t)(v >> 8);
    ip[1] = (uint8_t)(v & 255);
    return n > 0;
}

/* Parses RFC 4291 section 2.2: eight groups; "::" once for one or more; the last two may be IPv4. */
static int parse_ip6(const char **s, uint8_t ip[16])
{
    enum { NO_GAP = 17 };
    size_t gap = NO_GAP; /* the place of the "::" */
    size_t n = 0;

    for (;;) {
        const char *group;
        if ((*s)[0] == ':' && (*s)[1] == ':') {
            if (gap != NO_GAP)
                return 0;
            gap = n;
            *s += 2;
            if (rdl_hex_value(**s) < 0)
                break;
        } else if (n > 0) {
            if (**s != ':')
                break;
            ++*s;
        }
        group = *s;
        if (n > 14 || (!parse_group(s, ip + n) && **s != '.'))
            return 0;
        n += 2;
        if (**s == '.') {
            *s = group;
            n += 2;
            if (n > 16 || !parse_ip4(s, ip + n - 4))
                return 0;
            break;
        }
    }
    if (gap == NO_GAP || n == 16)
        return gap == NO_GAP && n == 16;
    memmove(ip + 16 - (n - gap), ip + gap, n - gap);
    rdl_zero(ip + gap, 16 - n);
    return 1;
}

/*
 * Returns whether it is labels of 1 to 63 letters, digits, _ (container networks use it) and inner -, with
 * dots between them. If the last label is a number, every resolver takes it for an address, so it is no name.
 */
static int is_host_name(const char *s, size_t total)
{
    const char *label = s;
    int is_number = 1;

    if (total > 0 && s[total - 1] == '.') /* fully qualified */
        total--;
    for (;; s++, total--) {
        if (total == 0 || *s == '.') {
            size_t len = (size_t)(s - label);
            if (len < 1 || len > LABEL_LEN_MAX || *label == '-' || s[-1] == '-')
                return 0;
            if (total == 0)
                return !is_number && (label[0] != '0' || (label[1] != 'x' && label[1] != 'X'));
            label = s + 1;
            is_number = 1;
        } else if (!rdl_is_digit(*s)) {
            if (!is_letter(*s) && *s != '-' && *s != '_')
                return 0;
            is_number = 0;
        }
    }
}

/* Parses the inside of [...]: an address and maybe a zone. Names of interfaces would need the system. */
static int set_ip6(struct url *u)
{
    const char *s = u->ep->host;

    if (!parse_ip6(&s, u->ep->ip) || (*s != '\0' && *s != '%'))
        return refuse(u, "not an IPv6 address between [ and ]");
    if (*s == '%') {
        s++;
        if (!parse_number(&s, SCOPE_MAX, &u->ep->scope) || *s != '\0' || u->ep->scope == 0)
            return refuse(u, "the zone of an IPv6 address must be a number: [fe80::1%252]");
    }
    u->ep->family = RDL_INET6;
    return RDL_OK;
}

static int set_ip4_or_name(struct url *u)
{
    const char *s = u->ep->host;

    if (parse_ip4(&s, u->ep->ip) && *s == '\0') {
        u->ep->family = RDL_INET;
        return RDL_OK;
    }
    rdl_zero(u->ep->ip, sizeof u->ep->ip);
    if (u->host_len > NAME_LEN_MAX || !is_host_name(u->ep->host, u->host_len))
        return refuse(u, "the host is neither an IPv4 address nor a host name");
    return RDL_OK;
}

/* ---------------------------------------------------------------- the parts */

static int parse_login(struct url *u, const char *s, const char *at)
{
    const char *colon = find(s, ":");
    int rc;

    if (colon > at)
        return refuse(u,
                      "is it a user or a password before the @? write user:@, :password@ or user:password@");
    if (colon == s && colon + 1 == at)
        return refuse(u, "only a : before the @");
    if (find(s, "/?") < at)
        return refuse(u, "write / as %2F and ? as %3F in a user or password");
    rc = decode(u, s, colon, &u->ep->user);
    return rc == RDL_OK ? decode(u, colon + 1, at, &u->ep->password) : rc;
}

static int parse_host(struct url *u, const char **s)
{
    int in_brackets = **s == '[';
    const char *host = *s + in_brackets;
    const char *end = find(host, in_brackets ? "]" : ":/?");
    int rc;

    if (in_brackets && *end != ']')
        return refuse(u, "the ] of the IPv6 address is missing");
    if (host == end)
        return refuse(u, "the host is missing");
    *s = end + in_brackets;
    rc = decode_host(u, host, end);
    if (rc != RDL_OK)
        return rc;
    return in_brackets ? set_ip6(u) : set_ip4_or_name(u);
}

/* Parses [[user]:password@]host[:port][/[db]]. The last @ counts, because a raw password may have others. */
static int parse_redis(struct url *u, const char *s)
{
    const char *at = find(s, "@");
    uint32_t port = DEFAULT_PORT;
    int rc;

    if (*at == '@') {
        while (*find(at + 1, "@") == '@')
            at = find(at + 1, "@");
        rc = parse_login(u, s, at);
        if (rc != RDL_OK)
            return rc;
        s = at + 1;
    }
    rc = parse_host(u, &s);
    if (rc != RDL_OK)
        return rc;
    if (*s == ':') {
        s++;
        if (!parse_number(&s, 65535, &port) || port == 0)
            return refuse(u, "the port must be a number from 1 to 65535 (write an IPv6 address in [])");
    }
    u->ep->port = (uint16_t)port;
    if (*s == '/') {
        s++;
        if (*s != '\0' && !parse_number(&s, DB_MAX, &u->ep->db))
            return refuse(u, "the database after the / must be a number");
    }
    return *s == '\0' ? RDL_OK : refuse(u, "a redis:// URL must end with the host, :port or /db");
}

/* Parses [[user]:password@]/path[?db=N]. An @ after the first / belongs to the path. */
static int parse_unix(struct url *u, const char *s)
{
    const char *path = find(s, "/?");
    const char *end;
    int rc;

    if (path != s && path[-1] == '@') {
        rc = parse_login(u, s, path - 1);
        if (rc != RDL_OK)
            return rc;
        s = path;
    }
    end = find(s, "?");
    if (*s != '/' || end == s + 1)
        return refuse(u, "a socket needs an absolute path and no host: unix:///path or "
                         "unix://user:password@/path (write / as %2F and ? as %3F in a user or password)");
    rc = decode_host(u, s, end);
    if (rc != RDL_OK)
        return rc;
    if (u->host_len > PATH_LEN_MAX)
        return refuse(u, "the path of a socket must have at most 107 bytes");
    u->ep->family = RDL_UNIX;
    if (*end == '\0')
        return RDL_OK;
    s = end + 4;
    if (!rdl_has_prefix(end, "?db=") || !parse_number(&s, DB_MAX, &u->ep->db) || *s != '\0')
        return refuse(u, "only ?db=NUMBER may follow the path of a socket "
                         "(write user and password before it: unix://user:password@/path)");
    return RDL_OK;
}

static int parse(struct url *u, const char *s)
{
    if (rdl_has_prefix(s, "redis://"))
        return parse_redis(u, s + 8);
    if (rdl_has_prefix(s, "unix://"))
        return parse_unix(u, s + 7);
    if (rdl_has_prefix(s, "rediss://"))
        return refuse(u, "TLS is not built in: use a tunnel (stunnel) and unix:///path, "
                         "or your own TLS driver");
    return refuse(u, "a URL must start with redis:// or unix://");
}

/* Returns the length up to the first byte that no URL contains. */
static size_t clean_len(const char *s)
{
    size_t n = 0;

    while ((unsigned char)s[n] > ' ' && s[n] != 127 && s[n] != '#')
        n++;
    return n;
}

int rdl_url_parse(struct rdl_endpoint *ep, const char *url, char *text, size_t cap, const char **why)
{
    struct url u = {ep, text, 0, NULL};
    size_t len = clean_len(url);
    int rc = RDL_E_SPACE;

    rdl_zero(ep, sizeof *ep);
    if (url[len] != '\0')
        rc = refuse(&u, "write spaces, control characters and # as %XX");
    else if (len >= cap) /* decoded text is never longer, and the scheme makes room for the NUL */
        u.why = "the buffer for the decoded URL is too small";
    else
        rc = parse(&u, url);
    if (rc != RDL_OK) { /* leave no part of a password there */
        rdl_zero(text, (size_t)(u.text - text));
        rdl_zero(ep, sizeof *ep);
    }
    if (why)
        *why = u.why;
    return rc;
}
