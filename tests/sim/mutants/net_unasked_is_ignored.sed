# SPDX-License-Identifier: MIT
# net/net_error.c: a reply nobody asked for drops the connection
/^int rdl_unasked_reply/,/^}/s/RDL_E_UNASKED/RDL_OK/
