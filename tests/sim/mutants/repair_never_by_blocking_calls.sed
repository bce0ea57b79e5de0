# SPDX-License-Identifier: MIT
# redlock/redlock_io.c: R29: a blocking extend restores a straggler's lost key
s/^    if \(action == RDL_EXTEND\) \{/    if (0) {/
