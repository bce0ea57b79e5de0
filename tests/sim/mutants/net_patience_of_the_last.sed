# SPDX-License-Identifier: MIT
# net/net_conn.c: on the next connection how long an answer may take is said anew
s/^        c->patience_ms = -c->patience_ms;/        ;/
