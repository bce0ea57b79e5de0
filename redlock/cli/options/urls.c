/* SPDX-License-Identifier: MIT */
/*
 * urls.c - URLs as users write them: other schemes for the same servers, and mistakes that have a
 * message. No text of a URL is ever printed, because it may contain a password: examples are invented.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/urls.h"
#include "lock/lock_line.h"
#include "redlock/easy/sentinel.h"

#include <string.h>

static int begins_with(const char *text, const char *what)
{
    return strncmp(text, what, strlen(what)) == 0;
}

int rdl_cli_url_is_one(const char *text)
{
    int is_tls;

    return rdl_line_scheme(text, &is_tls) > 0 || begins_with(text, "unix://") || rdl_cli_url_is_group(text);
}

int rdl_cli_url_is_group(const char *url)
{
    int is_tls;

    return rdl_sentinel_scheme(url, &is_tls) > 0;
}

int rdl_cli_url_is_tls(const char *url)
{
    int is_tls;

    if (rdl_line_scheme(url, &is_tls) == 0)
        (void)rdl_sentinel_scheme(url, &is_tls);
    return is_tls;
}

int rdl_cli_url_has_address(const char *url)
{
    const char *scheme = strstr(url, "://"), *login = strrchr(url, '@');
    const char *host = login != NULL ? login + 1 : scheme != NULL ? scheme + 3 : url;
    size_t len = strspn(host, "0123456789.");

    return rdl_cli_url_is_group(url) || host[0] == '[' ||
           (len > 0 && strchr(":/", host[len]) != NULL); /* its end, too */
}

char *rdl_cli_url_plain(char *url)
{
    static const char plain[] = "redis://";
    int is_tls;
    size_t scheme_len = rdl_line_scheme(url, &is_tls);

    if (scheme_len == 0)
        return url;
    url += scheme_len - (sizeof plain - 1); /* no scheme is shorter */
    memcpy(url, plain, sizeof plain - 1);
    return url;
}

/* ---------------------------------------------------------------- mistakes */

/* Returns 1 for quotes as in a shell, a YAML file or a word processor. */
static int has_quotes(const char *url)
{
    static const char typographic[] = "\xe2\x80"; /* all of these begin so in UTF-8 */
    size_t len = strlen(url);

    return len > 0 && (strchr("'\"", url[0]) != NULL || strchr("'\"", url[len - 1]) != NULL ||
                       begins_with(url, typographic));
}

static int has_comma(const char *url)
{
    for (const char *comma = strchr(url, ','); comma != NULL; comma = strchr(comma + 1, ','))
        if (rdl_cli_url_is_one(comma + 1))
            return 1;
    return 0;
}

/* Returns 1 if two colons follow the scheme and login, without brackets. */
static int is_bare_ip6(const char *url)
{
    const char *scheme = strstr(url, "://"), *login = strrchr(url, '@');
    const char *host = scheme != NULL ? scheme + 3 : url;
    size_t len, colons = 0;

    if (login != NULL && login + 1 > host)
        host = login + 1;
    len = strspn(host, "0123456789abcdefABCDEF:.");
    for (size_t i = 0; i < len; i++)
        colons += host[i] == ':';
    return colons > 1 && (host[len] == '\0' || host[len] == '/');
}

const char *rdl_cli_url_mistake(const char *url)
{
    if (has_quotes(url))
        return "the URL is in quotes: remove them";
    if (has_comma(url))
        return "a comma separates URLs: use spaces in $REDLOCK_URLS, and a -u for each on the command line";
    if (begins_with(url, "tcp://"))
        return "the URL must begin with redis://, not with tcp://";
    if (is_bare_ip6(url))
        return "put the IPv6 address in brackets: [2001:db8::1]";
    if (url[0] != '\0' && strstr(url, "://") == NULL)
        return "the URL must begin with redis://";
    return NULL;
}

int rdl_cli_url_is_user_alone(const char *url)
{
    const char *login = strstr(url, "://");
    const char *colon = login != NULL ? strchr(login + 3, ':') : NULL;
    return colon != NULL && colon + 1 == strrchr(url, '@');
}

int rdl_cli_url_hide_password(char *url)
{
    static const char stars[] = "***";
    char *at = strrchr(url, '@');
    char *scheme = strstr(url, "://");
    char *from = scheme != NULL ? scheme + 3 : url;

    if (at == NULL || at < from || (strncmp(url, "unix:", 5) == 0 && *from == '/')) /* an @ of the path */
        return 0;
    /* the rest of the URL moves up, so that not even the length shows; "a@" has no room for stars */
    size_t room = (size_t)(at - from), mark = room < 3 ? room : 3, rest = strlen(at);
    memcpy(from, stars, mark);
    memmove(from + mark, at, rest);
    memset(from + mark + rest, 0, room - mark);
    return 1;
}
