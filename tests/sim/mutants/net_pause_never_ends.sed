# SPDX-License-Identifier: MIT
# net/net_timers.c: a release that pauses is sent again
s/^        rdl_queue_resume\(c\);/        ;/
