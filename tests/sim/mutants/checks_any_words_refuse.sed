# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: only an error that names INFO means that INFO is refused
s/ && names_info\(c->reply\)//
