# SPDX-License-Identifier: MIT
# redlock/redlock.c: an extension never shortens
s/if \(validity_end\(r\) > r->until_ms\)/if (validity_end(r) > 0)/
