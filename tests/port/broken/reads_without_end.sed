# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 15: it reads as long as bytes arrive
s/reads < READS_MAX && //
