# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 14: it waits for three results where one is needed
s/: \(unsigned\)coming;/: 3;/; s/coming == 0 \? 1/coming == 0 ? 3/
