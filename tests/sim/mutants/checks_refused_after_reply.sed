# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: once INFO has worked, no other error text means that it is refused
s/server_info->needs_info = 1;/server_info->needs_info |= 0;/
