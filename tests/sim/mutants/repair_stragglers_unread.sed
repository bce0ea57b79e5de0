# SPDX-License-Identifier: MIT
# redlock/redlock_io.c: R29: a blocking extend reads late replies to the last one
s/has_stragglers && r->servers/0 \&\& r->servers/
