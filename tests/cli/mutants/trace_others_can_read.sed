# SPDX-License-Identifier: MIT
# redlock/cli/output/trace.c: R4: a trace has tokens, so only its owner can read it
# tests: cli_trace/a_trace_file_that_others_can_read_is_refused
s/S_IRGRP \| S_IROTH/0/
