# SPDX-License-Identifier: MIT
# lock/lock.c: R10: a failed release can be retried
s/else if \(!is_unreleased\(l\)\)/else if (l != NULL)/
