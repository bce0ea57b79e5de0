# SPDX-License-Identifier: MIT
# redlock/redlock.c: who adopts gives back what he held
s/owes &= memcmp.*;/owes = 0;/
