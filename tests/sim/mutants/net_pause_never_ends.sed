# SPDX-License-Identifier: MIT
# net/net_timers.c: R10: a release that paused is sent again
s/^        rdl_queue_resume\(c\);/        ;/
