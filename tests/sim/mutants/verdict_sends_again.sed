# SPDX-License-Identifier: MIT
# net/net_request.c: nothing is sent again after its own release
s/^        r->is_last = 1;/        ;/
