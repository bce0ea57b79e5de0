# SPDX-License-Identifier: MIT
# net/net_conn.c: R18: the next connection sets its reply timeout again
s/^        c->signed_timeout_ms = -c->signed_timeout_ms;/        ;/
