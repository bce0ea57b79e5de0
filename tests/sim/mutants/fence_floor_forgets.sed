# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: R31: a floor below the last fencing token does not lower it
s/last < least \? least/least > 0 ? least/
