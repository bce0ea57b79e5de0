# SPDX-License-Identifier: MIT
# redlock/redlock.c: R14: a retried release may have been done the first time
s/^(        s->needs_release \|= s->req\.may_be_second;)/\1\n        s->req.may_be_second = 0;/
