# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: an uptime alone is enough for the quarantine
s/all = RDL_INFO_UPTIME/all = RDL_INFO_RUN | RDL_INFO_UPTIME/
