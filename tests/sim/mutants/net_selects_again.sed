# SPDX-License-Identifier: MIT
# net/net_request.c: R21: the method of a request is selected once, and its chunks fit together
s/if \(r->len == 0 && !select_method\(c, r\)\)/if (!select_method(c, r))/
