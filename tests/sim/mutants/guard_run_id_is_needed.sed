# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: an uptime alone is enough for the quarantine
s/all = RDL_FACT_UPTIME/all = RDL_FACT_RUN | RDL_FACT_UPTIME/
