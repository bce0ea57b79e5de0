/* SPDX-License-Identifier: MIT */
/* text.h - building text. */
#ifndef RDL_CLI_OUTPUT_TEXT_H
#define RDL_CLI_OUTPUT_TEXT_H

#include "lock/lock_multi.h"
#include "redlock/redlock.h"

#if defined(__GNUC__)
#define RDL_CLI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define RDL_CLI_PRINTF(a, b)
#endif

enum { RDL_CLI_WHERE_MAX = 128 }; /* bytes of "host:port" for people, NUL included */

/* A text, NUL-terminated. What does not fit is cut. */
struct rdl_cli_text {
    char *out;
    size_t cap, len;
};

void rdl_cli_add(struct rdl_cli_text *t, const char *format, ...) RDL_CLI_PRINTF(2, 3);

/* Counts letters to insert, delete or replace to turn a into b (Levenshtein); b: RDL_CLI_WORD_MAX at most. */
enum { RDL_CLI_WORD_MAX = 24 };
size_t rdl_cli_distance(const char *a, size_t a_len, const char *b);

/* Marks the end of t as cut, if it is full. */
void rdl_cli_mark_cut(struct rdl_cli_text *t);

/* Adds a duration such as "1.5 s". */
void rdl_cli_add_seconds(struct rdl_cli_text *t, uint64_t ms);

/* Returns the bytes of the UTF-8 character that begins here; 1 if none does. Loops over a text step by it. */
size_t rdl_cli_char_len(const char *text);

/*
 * Returns the bytes of the character here if it acts on a terminal instead of being shown. That is a control
 * character (also of C1), a line separator, or a mark of the writing direction. Returns 0 for any other.
 * A byte inside a character may look like C1: step by rdl_cli_char_len.
 */
size_t rdl_cli_acting_len(const char *text);

/* Adds a JSON string with its quotes. A byte that is no UTF-8 becomes U+FFFD; what acts is escaped. */
void rdl_cli_add_json(struct rdl_cli_text *t, const char *s);

/* Does the same for a name that looks like another; escapes a no-break space and a byte order mark, too. */
void rdl_cli_add_name(struct rdl_cli_text *t, const char *s);

/*
 * Adds the value of a label for Prometheus, without quotes. A byte that is not UTF-8 becomes U+FFFD, and so
 * does a character that acts. Returns 1 if one did: then another text may have the same value.
 */
int rdl_cli_add_label_value(struct rdl_cli_text *t, const char *s);

/* Adds a word for the shell, quoted if necessary. */
void rdl_cli_add_word(struct rdl_cli_text *t, const char *s);

/* Returns the length without the line end, if there is one. */
size_t rdl_cli_line_len(const char *text, size_t len);

/* Returns why a text from a file, without its line end, is not one line; NULL: it is. */
const char *rdl_cli_line_fault(const char *text, size_t len);

/* Adds who holds a lock: "web-3:4711 (97f33ee3)", or the id alone if the owner is "". */
void rdl_cli_add_holder(struct rdl_cli_text *t, uint32_t id, const char *owner);

/* Adds "-l NAME", as the verbs accept it, after a space if there is one before. */
void rdl_cli_add_lock(struct rdl_cli_text *t, const char *name);

/* Most bytes of the names of all locks that one command has, NUL included, if every byte needs quotes. */
enum { RDL_CLI_LOCKS_MAX = RDL_MULTI_MAX * 6 + RDL_NAME_MAX * 4 };

#endif
