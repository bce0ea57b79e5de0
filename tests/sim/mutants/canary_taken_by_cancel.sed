# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: cancel does not evaluate a canary reply, because it does not know the time
s/^    r->canaries\[i\]\.stage = LOOK_NONE;/    canary_take(r, i, r->sent_ms);/
s/^    rdl_conn_abandon\(r->servers\[i\]\.conn, &r->canaries\[i\]\.req\);//
