# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: R22: one attempt waits for the rest of a pause, and connects
s/ && \(int32_t\)\(s->conn->open_ms - r->begun_ms\) >= 0//
