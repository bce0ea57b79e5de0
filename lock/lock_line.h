/* SPDX-License-Identifier: MIT */
/* lock_line.h - lines for people: what a report is made of (lock_report.c). For lock/ and redlock/. */
#ifndef RDL_LOCK_LINE_H
#define RDL_LOCK_LINE_H

#include "net/net.h"

struct rdl_line {
    char *out; /* NUL-terminated */
    size_t cap;
    size_t len;
};

/* Begins an empty line of at most cap - 1 bytes. Longer text is cut. */
void rdl_line_begin(struct rdl_line *line, char *out, size_t cap);
/* Adds text. */
void rdl_line_add(struct rdl_line *line, const char *text);
/* Adds text, then the number. */
void rdl_line_add_number(struct rdl_line *line, const char *text, uint32_t n);
/* Adds text, then the duration as "27 ms". */
void rdl_line_add_ms(struct rdl_line *line, const char *text, uint32_t ms);
/* Adds what went wrong, and the server's own words, without the password, if the error is from the server. */
void rdl_line_add_error(struct rdl_line *line, const struct rdl_conn *c, int error);
/* Returns 1 for a text of rdl_conn_text() that is the library's own: it is public, so it has no secret. */
int rdl_line_is_own_text(const char *text);
/* Adds that no reply came, and why. */
void rdl_line_add_no_reply(struct rdl_line *line, const struct rdl_conn *c, int error);
/* Adds that another client holds it, and for how long: holder_ms as of rdl_lock_holder_ms. */
void rdl_line_add_holder(struct rdl_line *line, int64_t holder_ms);
/*
 * Adds where a server is, as its URL has it: "a:6379", "[::1]:6379/1", "/run/redis.sock?db=1". host is
 * ep->host as it is to be shown. Only on hosts with sockets (lock_posix.c).
 */
void rdl_line_add_where(struct rdl_line *line, const struct rdl_endpoint *ep, const char *host);
/*
 * Returns the length of the scheme of a URL over TCP, which are other words for redis:// and, with *is_tls
 * set to 1, rediss://; 0: another scheme, or none. Only on hosts with sockets (lock_posix.c).
 */
size_t rdl_line_scheme(const char *url, int *is_tls);
/* Adds the progress of a connection that is not ready. */
void rdl_line_add_connecting(struct rdl_line *line, const struct rdl_conn *c);

#endif
