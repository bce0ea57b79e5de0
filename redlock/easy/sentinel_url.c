/* SPDX-License-Identifier: MIT */
/*
 * sentinel_url.c - parses the URL of a Sentinel group.
 *
 * Its parts are written as URLs of one server, which net_url.c parses: so they follow the same rules, and
 * have the same messages. No message repeats a part of the URL.
 */
#include "redlock/easy/sentinel.h"
#include "lock/lock_line.h"

#include <string.h>

enum { SENTINEL_PORT = 26379 };

/* Where the parts of a URL begin and end. */
struct parts {
    const char *login_end;       /* after the @, or the beginning */
    const char *list_end;        /* the / before the name */
    const char *name, *name_end; /* */
    const char *db_end;          /* the database with its / is from name_end to here */
};

size_t rdl_sentinel_scheme(const char *url, int *is_tls)
{
    static const char *const schemes[] = {"redis-sentinel://", "valkey-sentinel://", "rediss-sentinel://",
                                          "valkeys-sentinel://"};
    size_t i;

    for (i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        *is_tls = i >= 2;
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
            return strlen(schemes[i]);
    }
    *is_tls = 0;
    return 0;
}

static int refuse(const char **why, const char *text)
{
    if (why != NULL)
        *why = text;
    return RDL_E_URL;
}

/* ---------------------------------------------------------------- splitting */

static int is_a_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_name_byte(char c)
{
    return is_a_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("._-", c) != NULL);
}

static int split(const char *s, struct parts *p, const char **why)
{
    const char *at = strrchr(s, '@');

    p->login_end = at != NULL ? at + 1 : s;
    p->list_end = p->login_end + strcspn(p->login_end, "/?");
    if (*p->list_end != '/')
        return refuse(why, "the group's name is missing: redis-sentinel://host1,host2/NAME");
    p->name = p->name_end = p->list_end + 1;
    while (is_name_byte(*p->name_end))
        p->name_end++;
    if (p->name_end == p->name || p->name_end - p->name > RDL_NAME_MAX || strchr("/?", *p->name_end) == NULL)
        return refuse(why, "a group's name has 1 to 128 letters, digits and ._- bytes");
    p->db_end = p->name_end + strcspn(p->name_end, "?");
    return RDL_OK;
}

/* ---------------------------------------------------------------- one server at a time */

/*
 * Parses a URL that is made of these pieces, with its texts at g->url + *used, and moves *used after them. A
 * copy of the password must not stay on the stack.
 */
static int parse_as(struct rdl_sentinel *g, size_t *used, struct rdl_endpoint *ep,
                    const struct rdl_bytes *pieces, size_t n, const char **why)
{
    char url[RDL_SENTINEL_URL_MAX + sizeof "redis://h"];
    size_t len = 0, i;
    int rc;

    for (i = 0; i < n; i++) {
        memcpy(url + len, pieces[i].data, pieces[i].len);
        len += pieces[i].len;
    }
    url[len] = '\0';
    rc = rdl_url_parse(ep, url, g->url + *used, sizeof g->url - *used, why);
    for (i = 0; i < len; i++)
        ((volatile char *)url)[i] = 0;
    *used += len - (sizeof "redis://" - 1) + 1; /* decoded texts are never longer */
    return rc;
}

static const struct rdl_bytes head = {"redis://", 8};

static int parse_login(struct rdl_sentinel *g, size_t *used, struct rdl_endpoint *master, const char *s,
                       const struct parts *p, const char **why)
{
    const struct rdl_bytes pieces[] = {
        head, {s, (size_t)(p->login_end - s)}, {"h", 1}, {p->name_end, (size_t)(p->db_end - p->name_end)}};
    int rc = parse_as(g, used, master, pieces, 4, why);

    master->host = "";
    master->port = 0;
    return rc;
}

static int parse_one(struct rdl_sentinel *g, size_t *used, const char *s, size_t len, const char **why)
{
    const struct rdl_bytes pieces[] = {head, {s, len}};
    struct rdl_endpoint *ep = &g->list[g->n];
    size_t i = len;
    int rc;

    if (g->n == RDL_SENTINELS_MAX)
        return refuse(why, "a group has at most 5 sentinels");
    if (len == 0)
        return refuse(why, "a sentinel is missing before or after a comma");
    rc = parse_as(g, used, ep, pieces, 2, why);
    if (rc != RDL_OK)
        return rc;
    while (is_a_digit(s[i - 1]) && i > 1) /* a host without a port does not end with a colon and digits */
        i--;
    if (s[i - 1] != ':' || s[len - 1] == ']')
        ep->port = SENTINEL_PORT;
    g->names |= (uint8_t)((ep->family == RDL_UNRESOLVED) << g->n);
    g->n++;
    return RDL_OK;
}

static int parse_list(struct rdl_sentinel *g, size_t *used, const struct parts *p, const char **why)
{
    const char *s = p->login_end;
    int rc = RDL_OK;

    while (rc == RDL_OK && s <= p->list_end) {
        size_t len = strcspn(s, ",/");
        rc = parse_one(g, used, s, len, why);
        s += len + 1;
    }
    return rc;
}

int rdl_sentinel_parse(struct rdl_sentinel *g, struct rdl_endpoint *master, const char *url, const char **why)
{
    struct parts p;
    int is_tls;
    const char *s = url + rdl_sentinel_scheme(url, &is_tls);
    size_t used = 0;
    int rc;

    memset(g, 0, sizeof *g);
    memset(master, 0, sizeof *master);
    if (s == url)
        return refuse(
            why, "a group's URL begins with redis-sentinel://, valkey-sentinel://, rediss-sentinel:// or "
                 "valkeys-sentinel://");
    if (strlen(s) + sizeof "h" > sizeof g->url - 2 * (size_t)(RDL_SENTINELS_MAX + 2))
        return refuse(why, "the URL is too long");
    rc = split(s, &p, why);
    if (rc == RDL_OK)
        rc = parse_login(g, &used, master, s, &p, why);
    if (rc == RDL_OK)
        rc = parse_list(g, &used, &p, why);
    g->is_tls = g->is_sentinel_tls = (uint8_t)is_tls;
    if (rc == RDL_OK && *p.db_end == '?') {
        g->is_sentinel_tls = 0;
        if (!is_tls || strcmp(p.db_end, "?sentinel-tls=no") != 0)
            rc = refuse(why,
                        "only ?sentinel-tls=no may follow, after rediss-sentinel:// or valkeys-sentinel://");
    }
    if (rc != RDL_OK) {
        memset(g, 0, sizeof *g);
        memset(master, 0, sizeof *master);
        return rc;
    }
    g->name = memcpy(g->url + used, p.name, (size_t)(p.name_end - p.name));
    return RDL_OK;
}
