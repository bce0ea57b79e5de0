# SPDX-License-Identifier: MIT
# net/net_upkeep.c: a silent connection is kept until the keys of its SETs are gone
s/end_ms = last_set_ends\(c\);/end_ms = 0;/
