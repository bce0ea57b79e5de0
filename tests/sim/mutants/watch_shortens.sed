# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R3: by WATCH: a key with a longer ttl is not shortened
s/r->is_long = c->reply_value >= \(int64_t\)r->ttl_ms \? 1 : 0;/r->is_long = 0;/
