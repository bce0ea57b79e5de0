# SPDX-License-Identifier: MIT
# net/net_error.c: a reply nobody asked for drops the connection
/^int rdl_unexpected_reply/,/^}/s/RDL_E_UNEXPECTED/RDL_OK/
