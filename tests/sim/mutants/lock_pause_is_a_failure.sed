# SPDX-License-Identifier: MIT
# lock/lock.c: R22: one attempt waits for the rest of a pause, and connects
s/\(int32_t\)\(l->conn->open_ms - l->begun_ms\) < 0/0/
