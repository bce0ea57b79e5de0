# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 4: the peer's close is not reported
/^static int stream_receive/,/^}/s/^            rdl_stream_end\(c, s, n\);$/            return 0;/
