# SPDX-License-Identifier: MIT
# redlock/redlock.c: R23: servers[] that another redlock uses is an error
s/return r->n > 0 && \(r->servers->user != r->user \|\| \(is_in_use\(r\) && r->self != r\)\);/return is_in_use(r) \&\& r->n > RDL_SERVERS_MAX;/
