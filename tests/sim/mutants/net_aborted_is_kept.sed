# SPDX-License-Identifier: MIT
# net/net_request.c: R17: an aborted stalled connection is not kept for its SETs
s/ && c->lease_timeout_ms == 0//
