# SPDX-License-Identifier: MIT
# net/net_error.c: R19: an unexpected reply closes the connection
/^int rdl_unexpected_reply/,/^}/s/RDL_E_UNEXPECTED/RDL_OK/
