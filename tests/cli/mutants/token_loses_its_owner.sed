# SPDX-License-Identifier: MIT
# redlock/cli/servers/tokens.c: R3: a token that is read keeps its owner, which is a part of the value
# tests: cli_owner/token_with_its_owner_extends_and_releases
s/"%.\*s", \(int\)n, text\)/"%.*s", RDL_VALUE_MAX, text)/
