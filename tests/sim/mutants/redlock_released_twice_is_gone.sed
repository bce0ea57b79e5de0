# SPDX-License-Identifier: MIT
# redlock/redlock.c: a release that is tried again may have been done the first time
s/^(        s->needs_release \|= s->req\.is_again;)/\1\n        s->req.is_again = 0;/
