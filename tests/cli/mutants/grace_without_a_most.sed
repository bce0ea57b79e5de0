# SPDX-License-Identifier: MIT
# redlock/cli/options/defaults.c: R36: the default grace is 5 s at most
# tests: cli_options/the_default_grace_is_a_sixth_of_the_ttl_and_5_s_at_most
s/sixth < 5000 \? sixth : 5000/sixth/
