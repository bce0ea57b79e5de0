# SPDX-License-Identifier: MIT
# redlock/slots.c: R24: any slot is one of N
s/rdl_random\(&s->seed\) % s->n\);$/rdl_random(\&s->seed) % (s->n + 1u));/
