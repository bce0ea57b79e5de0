# SPDX-License-Identifier: MIT
# lock/lock.c: a failed release can be retried
s/else if \(!is_unreleased\(l\)\)/else if (l != NULL)/
