# SPDX-License-Identifier: MIT
# lock/lock_hint.c: a lost hint costs the cap at most
s/left_ms < RDL_HINT_CAP_MS \? left_ms : RDL_HINT_CAP_MS/left_ms/
