# SPDX-License-Identifier: MIT
# redlock/renewal.c: R33: the work stops before the lease ends
s/k->until_ms - k->grace_ms/k->until_ms - k->grace_ms \/ 16/
