# SPDX-License-Identifier: MIT
# redlock/cli/servers/connections.c: R24: names without an address count as down while a majority has one
# tests: cli_address/every_name_without_an_address_is_listed
s/s->n - bad >= s->n \/ 2 \+ 1/s->n - bad > 0/
