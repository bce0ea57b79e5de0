# SPDX-License-Identifier: MIT
# net/net_request.c: R19: a resent request is marked as repeated, so the canary is checked again
s/r->req->was_reordered = 1;/;/
