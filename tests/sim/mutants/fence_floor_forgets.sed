# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: a floor below the last number forgets nothing
s/last < least \? least/least > 0 ? least/
