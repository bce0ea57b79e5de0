# SPDX-License-Identifier: MIT
# redlock/cli/options/option_table.c: R37: a password in a URL is removed from the arguments
# tests: cli_options/a_password_is_removed_from_the_arguments_at_once
s/rdl_cli_url_hide_password\(url\) && is_secret/0 \&\& is_secret/
