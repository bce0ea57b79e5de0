# SPDX-License-Identifier: MIT
# redlock/renewal.c: R33: the work goes on until the grace begins
s/k->until_ms > k->grace_ms \? k->until_ms - k->grace_ms/k->until_ms > 2 * k->grace_ms ? k->until_ms - 2 * k->grace_ms/
