# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: a password file that every user can read is a warning
# tests: cli_secret/a_password_file_that_others_can_read_is_a_warning
s/st\.st_mode & S_IROTH/st.st_mode \& S_IXOTH/
