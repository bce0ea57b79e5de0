# SPDX-License-Identifier: MIT
# redlock/redlock.c: what is adopted is owed its release for as long as it lives
s/r->keys_end_ms = UINT64_MAX;/r->keys_end_ms = 0;/
