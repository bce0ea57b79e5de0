# SPDX-License-Identifier: MIT
# net/net_request.c: R12: a SET is taken only if its release still fits
s/base \+ needed \+ c->reserved >/base + size >/
