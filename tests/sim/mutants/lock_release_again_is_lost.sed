# SPDX-License-Identifier: MIT
# lock/lock.c: a release that is sent again and finds itself done was a release
s/is_own_doing\(l, now_ms\) \? RDL_OK : //
