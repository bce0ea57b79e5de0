/* SPDX-License-Identifier: MIT */
/* verbs.h - the verbs. */
#ifndef RDL_CLI_VERBS_VERBS_H
#define RDL_CLI_VERBS_VERBS_H

#include "redlock/cli/options/options.h"

/* rdl_cli_run and so on run a verb; argv is what follows it. They return the exit status. */
#define RDL_CLI_VERB_FUNCTION(word, verb) int rdl_cli_##word(int argc, char **argv);
RDL_CLI_EACH_VERB(RDL_CLI_VERB_FUNCTION)
RDL_CLI_EACH_VERB_LEFT_OUT(RDL_CLI_VERB_FUNCTION)

#endif
