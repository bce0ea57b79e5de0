# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: only a text that names INFO refuses it
s/ && names_info\(c->reply\)//
