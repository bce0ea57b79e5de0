# SPDX-License-Identifier: MIT
# redlock/cli/verbs/hold.c: the guardian of hold learns of each renewal
# tests: cli_hold/a_coprocess_holds_the_lock_until_its_input_closes
s/rdl_cli_held_renew\(&h->held\)/rdl_cli_held_renew(\&h->held) \&\& 0/
