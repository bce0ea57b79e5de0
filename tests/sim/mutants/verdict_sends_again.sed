# SPDX-License-Identifier: MIT
# net/net_request.c: R11: nothing is sent again after its own release
s/^        r->no_retry = 1;/        ;/
