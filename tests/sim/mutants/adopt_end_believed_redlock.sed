# SPDX-License-Identifier: MIT
# redlock/redlock.c: R10: an adopted key's release is pending until the key expires
s/r->keys_end_ms = UINT64_MAX;/r->keys_end_ms = 0;/
