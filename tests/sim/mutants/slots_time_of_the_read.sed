# SPDX-License-Identifier: MIT
# redlock/slots.c: R22: the first read counts as part of the wait
s/^    r->deadline_ms -= now_ms - s->begun_ms;/    ;/
