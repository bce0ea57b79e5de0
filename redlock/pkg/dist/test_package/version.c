/* SPDX-License-Identifier: MIT */
/* version.c - of the library that was linked. */
#include "redlock/redlock.h"

#include <stdio.h>

int main(void)
{
    return puts(rdl_version()) < 0 || rdl_strerror(RDL_OK) == NULL;
}
