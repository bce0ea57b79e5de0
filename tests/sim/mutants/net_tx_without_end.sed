# SPDX-License-Identifier: MIT
# net/net_conn.c: nothing is written behind the buffer for what goes out
s/rdl_writer_init\(&w, c->cfg->tx, c->cfg->tx_len\)/rdl_writer_init(\&w, c->cfg->tx, c->cfg->tx_len + 400)/
