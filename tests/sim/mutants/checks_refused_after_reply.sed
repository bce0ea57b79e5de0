# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: INFO that was answered once is not refused in other words later
s/server_info->needs_info = 1;/server_info->needs_info |= 0;/
