# SPDX-License-Identifier: MIT
# net/net_conn.c: R18: the next connection sets its reply timeout again
s/^        c->reply_timeout_ms = -c->reply_timeout_ms;/        ;/
