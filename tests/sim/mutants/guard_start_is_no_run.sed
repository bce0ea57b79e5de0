# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a server without a run_id is another run if its start time has moved
s/&& is_same_start\(f, up_ms, now_ms\)/\&\& f->run/
