# SPDX-License-Identifier: MIT
# net/net_timers.c: a release that paused is sent again
s/^        rdl_queue_resume\(c\);/        ;/
