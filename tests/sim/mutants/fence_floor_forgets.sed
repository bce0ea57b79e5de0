# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: a floor below the last fencing token does not lower it
s/last < least \? least/least > 0 ? least/
