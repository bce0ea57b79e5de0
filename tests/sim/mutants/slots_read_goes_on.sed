# SPDX-License-Identifier: MIT
# redlock/slots.c: R23: a canceled read refers to nothing
/^static void end_acquire/,/^}/ s/^    stop_reading\(s\);$/    s->is_reading = 0;/
