# SPDX-License-Identifier: MIT
# lock/lock_hint.c: hints of a stranger cost few tries
s/h->fruitless\+\+;/;/
