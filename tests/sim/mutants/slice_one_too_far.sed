# SPDX-License-Identifier: MIT
# resp/resp_slice.c: R21: nothing is written beyond the chunk
s/w->room >= HEAD_MAX \+ len \+ 2/w->room >= len/
