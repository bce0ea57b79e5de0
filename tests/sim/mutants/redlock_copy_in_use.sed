# SPDX-License-Identifier: MIT
# redlock/redlock.c: R23: a copy of a redlock in use takes no votes
s/r->user \|\| \(is_in_use\(r\) && r->self != r\)\);/r->user);/
