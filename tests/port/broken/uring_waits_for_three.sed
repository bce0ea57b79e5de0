# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 9: it waits for three results where one is needed
s/is_hasty \? 0 : 1,/is_hasty ? 0 : 3,/
