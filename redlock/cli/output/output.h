/* SPDX-License-Identifier: MIT */
/* output.h - what the other folders use of output/. */
#ifndef RDL_CLI_OUTPUT_OUTPUT_H
#define RDL_CLI_OUTPUT_OUTPUT_H

#include "redlock/cli/output/exit.h"
#include "redlock/cli/output/files.h"
#include "redlock/cli/output/json.h"
#include "redlock/cli/output/log.h"
#include "redlock/cli/output/messages.h"
#include "redlock/cli/output/progress.h"
#include "redlock/cli/output/text.h"
#include "redlock/cli/output/trace.h"

#endif
