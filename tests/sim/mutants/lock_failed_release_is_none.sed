# SPDX-License-Identifier: MIT
# lock/lock.c: a release that failed can be tried again
s/else if \(!is_unreleased\(l\)\)/else if (l != NULL)/
