# SPDX-License-Identifier: MIT
# redlock/redlock.c: lost means that a majority has it no more
s/\|\| gone > spare\)/|| gone > 0)/
