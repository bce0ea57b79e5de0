# SPDX-License-Identifier: MIT
# net/net_request.c: nothing is sent again behind its own release
s/^        r->is_last = 1;/        ;/
