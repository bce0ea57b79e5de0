# SPDX-License-Identifier: MIT
# redlock/redlock.c: a release that failed can be tried again
s/\} else if \(!release_again\(r\)\)/} else if (r != NULL)/
