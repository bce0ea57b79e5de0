/* SPDX-License-Identifier: MIT */
/* files.h - opening files that users name: regular files, devices and FIFOs. */
#ifndef RDL_CLI_OUTPUT_FILES_H
#define RDL_CLI_OUTPUT_FILES_H

#include <stdint.h>
#include <sys/types.h>

enum { RDL_CLI_FIFO_MS = 10000 /* how long to wait for the other end of a FIFO at least */ };

/*
 * Open a file for reading, or for appending (created for its owner alone). Of a FIFO they wait until until_ms
 * for a program that writes to it or reads from it. Return the descriptor, close-on-exec, or -1 with *why.
 */
int rdl_cli_file_read(const char *path, uint64_t until_ms, const char **why);
int rdl_cli_file_append(const char *path, uint64_t until_ms, const char **why);

/* Reads until the end, cap bytes at most. Returns their number, or -1 with errno. */
ssize_t rdl_cli_file_read_all(int fd, char *text, size_t cap);

#endif
