# SPDX-License-Identifier: MIT
# lock/lock_hint.c: foreign hints cause few extra attempts
s/h->fruitless\+\+;/;/
