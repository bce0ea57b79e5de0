# SPDX-License-Identifier: MIT
# lock/lock.c: a release that is sent again and finds itself done is not called a loss
s/ \|\| is_untold\(l, now_ms\)//
