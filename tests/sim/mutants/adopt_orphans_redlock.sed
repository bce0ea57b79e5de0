# SPDX-License-Identifier: MIT
# redlock/redlock.c: who adopts gives back what he held
s/needs_release = .*!rdl_is_same.*;/needs_release = 0;/
