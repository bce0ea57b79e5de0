# SPDX-License-Identifier: MIT
# lock/examples/firmware/conn_uart.c: rule 11: a line that was quiet is used without a new ECHO
s/got < 0 \|\| now_ms - line\.heard_ms >= QUIET_MS/got < 0/
