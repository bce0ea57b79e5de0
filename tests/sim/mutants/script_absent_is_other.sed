# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R14: gone and taken are distinguished
s/"return v and 0 or-1"/"return 0"/
