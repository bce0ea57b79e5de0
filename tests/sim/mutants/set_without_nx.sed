# SPDX-License-Identifier: MIT
# resp/resp_wire.c: R5: SET has NX
s/\$2\\r\\nNX\\r\\n\$2\\r\\nPX/$2\\r\\nXX\\r\\n$2\\r\\nPX/
