# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: R23: a copy of a redlock in use holds nothing
s/is_held = r->self == r && /is_held = /
