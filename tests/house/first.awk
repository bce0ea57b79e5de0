# SPDX-License-Identifier: MIT
# first.awk README.md - the README's first program, which begins within 30 lines.
/^```c/ { on = 1; if (NR > 30) exit 1; next }
/^```/ { on = 0 }
on
