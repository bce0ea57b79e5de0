# SPDX-License-Identifier: MIT
# redlock/cli/doctor/checks.c: a fencing counter that is not a number is reported
# tests: cli_advice/doctor_names_a_key_of_a_wrong_type
s/n == 0 \|\| n < req->text_len/n == 0/
