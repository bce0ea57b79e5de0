# SPDX-License-Identifier: MIT
# redlock/cli/servers/failures.c: the remedy follows from the server's words
# tests: cli_advice/doctor_advises_what_the_servers_words_say
s/if \(strstr\(said, remedies\[k\]\.says\) != NULL\)/if (said == NULL)/
