# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 4: a reset is reported by a positive number
s/^            rdl_stream_end\(c, s, n\);$/            rdl_stream_end(c, s, -n);/
