# SPDX-License-Identifier: MIT
# redlock/redlock.c: what is adopted can be released at once
s/s->owes = 1;|servers\[i\]\.owes = 1;/servers[i].owes = 0;/
