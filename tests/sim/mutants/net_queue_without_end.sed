# SPDX-License-Identifier: MIT
# net/net_request.c: R12: a record that does not fit is refused
s/rdl_queue_len\(c\) \+ needed \+ c->reserved >/rdl_queue_len(c) >/
