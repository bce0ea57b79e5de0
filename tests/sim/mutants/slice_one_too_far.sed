# SPDX-License-Identifier: MIT
# resp/resp_slice.c: nothing is written behind the chunk
s/w->room >= HEAD_MAX \+ len \+ 2/w->room >= len/
