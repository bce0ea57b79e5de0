# SPDX-License-Identifier: MIT
# redlock/cli/options/urls.c: a password may have an @
# tests: cli_secret/everything_before_the_last_at_sign_of_a_url_is_hidden
s/strrchr\(url, '@'\)/strchr(url, '@')/
