# SPDX-License-Identifier: MIT
# lock/lock_hint.c: R32: foreign hints cause few extra attempts
s/h->fruitless\+\+;/;/
