# SPDX-License-Identifier: MIT
# redlock/redlock.c: R10: a failed release can be retried
s/\} else if \(!release_again\(r\)\)/} else if (r != NULL)/
