# SPDX-License-Identifier: MIT
# redlock/redlock.c: R23: servers[] that another redlock uses is an error
s/return r->n > 0 && r->servers->user != r->user;/return r->n > RDL_SERVERS_MAX;/
