# SPDX-License-Identifier: MIT
# net/net_error.c: an error that passes by itself leads to no other method
s/"MASTERD\\0"/"MASTERX\\0"/
