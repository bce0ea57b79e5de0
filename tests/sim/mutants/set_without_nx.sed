# SPDX-License-Identifier: MIT
# lock/lock_commands.c: R5: SET has NX
s/\$2\\r\\nNX\\r\\n\$2\\r\\nPX/$2\\r\\nXX\\r\\n$2\\r\\nPX/
