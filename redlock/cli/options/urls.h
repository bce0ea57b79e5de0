/* SPDX-License-Identifier: MIT */
/* urls.h - schemes of URLs, and mistakes in them. */
#ifndef RDL_CLI_OPTIONS_URLS_H
#define RDL_CLI_OPTIONS_URLS_H

/* Returns 1 if the text begins as a server's URL does. */
int rdl_cli_url_is_one(const char *text);

/* Returns 1 for a Sentinel group. */
int rdl_cli_url_is_group(const char *url);

/* Returns 1 for rediss:// and the other schemes of TLS, which use the connect command. */
int rdl_cli_url_is_tls(const char *url);

/* Returns 1 if its host is an IP address, or a Sentinel group: sentinels report addresses. */
int rdl_cli_url_has_address(const char *url);

/* Changes any scheme to redis://, in the same memory. Leaves unix://, and text that is no URL. */
char *rdl_cli_url_plain(char *url);

/* Returns the likely mistake in a URL that the library refused; NULL: none of the usual ones. */
const char *rdl_cli_url_mistake(const char *url);

/* Overwrites user and password of a URL in place, with three stars. Returns 1 if there was one. */
int rdl_cli_url_hide_password(char *url);
/* Returns 1 for "redis://user:@host": the password comes from another source. */
int rdl_cli_url_is_user_alone(const char *url);

#endif
