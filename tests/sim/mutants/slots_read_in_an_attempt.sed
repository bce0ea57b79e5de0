# SPDX-License-Identifier: MIT
# redlock/slots.c: R9: no attempt is in progress when the name changes
s/^    return r->state == REDLOCK_CONNECT;/    return 1;/
