# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 13: it waits without a limit
s/ && rdl_posix_now_ms\(\) < until_ms\);/);/
