# SPDX-License-Identifier: MIT
# redlock/redlock.c: R8: an adopted lock can be released at once
s/s->needs_release = 1;|servers\[i\]\.needs_release = 1;/servers[i].needs_release = 0;/
