# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 13: it waits without a limit
s/results > 0 && \(until_ms != UINT64_MAX/results > 0 \&\& 0 \&\& (until_ms != UINT64_MAX/
