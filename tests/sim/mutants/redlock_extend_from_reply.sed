# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R1: an extended lease starts before the send
s/^        r->until_ms = rdl_redlock_validity_end\(r\);/        r->until_ms += r->ttl_ms;/
