# SPDX-License-Identifier: MIT
# net/net_conn.c: on the next connection how long an answer may take is said anew
s/^        c->reply_timeout_ms = -c->reply_timeout_ms;/        ;/
