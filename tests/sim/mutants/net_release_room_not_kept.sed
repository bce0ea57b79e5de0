# SPDX-License-Identifier: MIT
# net/net_request.c: R12: a SET is taken only if its release still fits
s/rdl_queue_len\(c\) \+ needed \+ c->reserved >/rdl_queue_len(c) + size >/
