/* SPDX-License-Identifier: MIT */
/* doctor.h - what the other folders use of doctor/. */
#ifndef RDL_CLI_DOCTOR_DOCTOR_H
#define RDL_CLI_DOCTOR_DOCTOR_H

#include "redlock/cli/doctor/checks.h"
#include "redlock/cli/doctor/findings.h"
#include "redlock/cli/doctor/permissions.h"
#include "redlock/cli/doctor/sentinels.h"

#endif
