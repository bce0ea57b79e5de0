# SPDX-License-Identifier: MIT
# net/net_request.c: R12: a record that does not fit is refused
s/base \+ needed \+ c->reserved >/base >/
