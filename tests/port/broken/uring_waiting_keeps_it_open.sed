# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 5: a request that waits for bytes keeps the socket open
s/IORING_OP_ASYNC_CANCEL/IORING_OP_NOP/
