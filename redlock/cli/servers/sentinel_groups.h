/* SPDX-License-Identifier: MIT */
/* sentinel_groups.h - servers that are Sentinel groups. */
#ifndef RDL_CLI_SERVERS_SENTINEL_GROUPS_H
#define RDL_CLI_SERVERS_SENTINEL_GROUPS_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/connections.h"

/* Parses the URL of a group into server i, as rdl_sentinel_parse. RDL_E_SPACE: there is no memory. */
int rdl_cli_group_parse(struct rdl_cli_servers *s, size_t i, const char *url, const char **why);

/* Resolves the names of its sentinels. One that has no address is left out. */
void rdl_cli_group_resolve(const struct rdl_cli_servers *s, size_t i);

/* Returns 1 if both are the same group: with the same name, and a sentinel in common. Either may be NULL. */
int rdl_cli_group_is_same(const struct rdl_sentinel *a, const struct rdl_sentinel *b);

/* Sets the sentinels' password. Returns 0, or an exit status after it printed the reason. */
int rdl_cli_groups_log_in(struct rdl_cli_servers *s, const struct rdl_cli_options *o);

/* Joins the groups with their connections, which are set up. */
void rdl_cli_groups_begin(struct rdl_cli_servers *s);

/* Makes the platform's poll ask the sentinels, if there are groups. Warns of the risk without a guard. */
void rdl_cli_groups_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o,
                         struct rdl_platform *platform);

/* Returns why the master of server i is not known, for people; "": it is, or the server is no group. */
const char *rdl_cli_group_said(const struct rdl_cli_servers *s, size_t i);

#endif
