/* SPDX-License-Identifier: MIT */
/* messages.h - messages on standard error, results on standard output. */
#ifndef RDL_CLI_OUTPUT_MESSAGES_H
#define RDL_CLI_OUTPUT_MESSAGES_H

#include "redlock/cli/output/json.h"
#include "redlock/cli/output/text.h"

#include <stdarg.h>

enum { RDL_CLI_QUIET = -1, RDL_CLI_NORMAL = 0, RDL_CLI_VERBOSE = 1, RDL_CLI_VERY_VERBOSE = 2 };

/*
 * Each prints one line on standard error. Bytes that would act on a terminal (rdl_cli_acting_len) become
 * question marks. If standard error is a log in JSON, the line is an event "message" there.
 *
 *     rdl_cli_print_error     redlock: ...            always
 *     rdl_cli_print_warning   redlock: warning: ...   not with -q; each warning once
 *     rdl_cli_print_info      redlock: ...            not with -q: what was requested, and its outcome
 *     rdl_cli_print_verbose   redlock: ...            with -v
 */
enum rdl_cli_message {
    RDL_CLI_ERROR,
    RDL_CLI_WARNING,
    RDL_CLI_WARNING_ALWAYS, /* with -q, too */
    RDL_CLI_INFO,
    RDL_CLI_NOTE
};
void rdl_cli_say(enum rdl_cli_message kind, const char *format, ...) RDL_CLI_PRINTF(2, 3);
void rdl_cli_vsay(enum rdl_cli_message kind, const char *format, va_list args) RDL_CLI_PRINTF(2, 0);
#define rdl_cli_print_error(...)          rdl_cli_say(RDL_CLI_ERROR, __VA_ARGS__)
#define rdl_cli_print_warning(...)        rdl_cli_say(RDL_CLI_WARNING, __VA_ARGS__)
#define rdl_cli_print_warning_always(...) rdl_cli_say(RDL_CLI_WARNING_ALWAYS, __VA_ARGS__)
#define rdl_cli_print_info(...)           rdl_cli_say(RDL_CLI_INFO, __VA_ARGS__)
#define rdl_cli_print_verbose(...)        rdl_cli_say(RDL_CLI_NOTE, __VA_ARGS__)

/* Prints an error, and returns this exit status. */
int rdl_cli_fail(int status, const char *format, ...) RDL_CLI_PRINTF(2, 3);

void rdl_cli_set_verbosity(int level);
int rdl_cli_is_quiet(void);
int rdl_cli_is_verbose(void);
int rdl_cli_is_very_verbose(void); /* -v twice */

/* Does the same for a line of usage, without "redlock: ". It is made printable. */
void rdl_cli_print_usage(char *line);

/* Prints a question on the terminal, without a line end. */
void rdl_cli_ask(const char *format, ...) RDL_CLI_PRINTF(1, 2);

/*
 * Shows a line on the terminal, not with -q, cut to this many columns. The next such line, or any message,
 * replaces it. rdl_cli_unshow removes it.
 */
void rdl_cli_show(const char *text, size_t columns);
void rdl_cli_unshow(void);

/*
 * Prints a result on standard output. Returns 0, or RDL_EXIT_OS if it could not be written (--help
 * >/dev/full), after it printed the reason once. Ends the process by SIGPIPE if the reader is gone.
 */
int rdl_cli_print(const char *text);

/* Prints it as a line; what acts on a terminal is replaced. Returns the same. */
int rdl_cli_print_line(char *text);

/*
 * Writes a line to standard error, the trace file or the log. A line of more than 4096 bytes may be written
 * in pieces. Does not wait for the reader.
 */
void rdl_cli_put(int fd, const char *line, size_t len);

/* Ends a line of the log, and writes it there. */
void rdl_cli_log_put(struct rdl_cli_json *j);

/* Writes output that was kept back, for reply_timeout_ms at most. Returns 1 if some is left. */
int rdl_cli_flush(uint32_t reply_timeout_ms);

enum {
    RDL_CLI_LAST_WORDS_MS = 2000
}; /* how long redlock waits, before it exits, for readers of its messages */

/*
 * Writes all output that was kept back, that of the log and the trace, too. Call it before the process
 * ends.
 */
void rdl_cli_last_words(void);

/* Drops output that was kept back, after fork: the parent writes it. */
void rdl_cli_forget_kept(void);

#endif
