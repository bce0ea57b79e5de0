# SPDX-License-Identifier: MIT
# net/net_error.c: R20: a temporary error leads to no other method
s/"MASTERD\\0"/"MASTERX\\0"/
