# SPDX-License-Identifier: MIT
# resp/resp_cmd.c: an extend sees to it that the fence holds the number
/define EXTEND_FENCED/,/return 1/s/redis\.call\('SET',KEYS\[2\],ARGV\[3\]\)end/end/
