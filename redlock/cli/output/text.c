/* SPDX-License-Identifier: MIT */
/* Builds text piece by piece; quotes strings for JSON and for the shell. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rdl_cli_add(struct rdl_cli_text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(t->out + t->len, t->cap - t->len, format, args);
    va_end(args);
    t->len = n >= 0 && (size_t)n < t->cap - t->len ? t->len + (size_t)n : t->cap - 1;
}

size_t rdl_cli_distance(const char *a, size_t a_len, const char *b)
{
    size_t row[RDL_CLI_WORD_MAX + 1], n = strlen(b);

    for (size_t k = 0; k <= n; k++)
        row[k] = k;
    for (size_t i = 1; i <= a_len; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            size_t least = corner + (a[i - 1] != b[k - 1]);
            corner = row[k];
            least = row[k] + 1 < least ? row[k] + 1 : least;
            row[k] = row[k - 1] + 1 < least ? row[k - 1] + 1 : least;
        }
    }
    return row[n];
}

void rdl_cli_mark_cut(struct rdl_cli_text *t)
{
    static const char mark[] = " ... (cut)";

    if (t->len + 1 >= t->cap && t->cap > sizeof mark)
        memcpy(t->out + t->cap - sizeof mark, mark, sizeof mark);
}

void rdl_cli_add_seconds(struct rdl_cli_text *t, uint64_t ms)
{
    rdl_cli_add(t, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
}

size_t rdl_cli_line_len(const char *text, size_t len)
{
    if (len > 0 && text[len - 1] == '\n')
        len--;
    if (len > 0 && text[len - 1] == '\r')
        len--;
    return len;
}

/* Some editors add a byte order mark, in UTF-8 or UTF-16, and do not show it. */
const char *rdl_cli_line_fault(const char *text, size_t len)
{
    static const char *const marks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (len >= strlen(marks[i]) && memcmp(text, marks[i], strlen(marks[i])) == 0)
            return "it begins with a byte order mark (BOM): save it as plain text without one";
    return memchr(text, '\n', len) != NULL ? "it has a second line: leave one" : NULL;
}

static int is_between(unsigned char c, unsigned char least, unsigned char most)
{
    return c >= least && c <= most;
}

/* Returns the bytes of the UTF-8 character that begins here; 0: none does (RFC 3629). */
static size_t utf8_len(const unsigned char *s)
{
    size_t len = *s < 0x80 ? 1 : is_between(*s, 0xc2, 0xdf) ? 2 : is_between(*s, 0xe0, 0xef) ? 3 : 4;

    if (len == 4 && !is_between(*s, 0xf0, 0xf4))
        return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f)) /* overlong, or a surrogate */
        return 0;
    if ((*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f)) /* overlong, or not in Unicode */
        return 0;
    for (size_t i = 1; i < len; i++)
        if (!is_between(s[i], 0x80, 0xbf)) /* the NUL at the end fails this check, too */
            return 0;
    return len;
}

size_t rdl_cli_char_len(const char *text)
{
    size_t len = utf8_len((const unsigned char *)text);

    return len > 0 ? len : 1;
}

/* Decodes a UTF-8 character of this many bytes. */
static unsigned code_point(const unsigned char *s, size_t len)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = s[0] & first[len];

    for (size_t i = 1; i < len; i++)
        code = code << 6 | (s[i] & 0x3f);
    return code;
}

/*
 * Returns 1 for characters that act on a terminal instead of being shown: C0 and C1 controls, line
 * separators, and marks and embeddings that reverse the writing direction.
 */
static int is_acting(unsigned code)
{
    return code < ' ' || (code >= 127 && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t rdl_cli_acting_len(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t len = utf8_len(s);

    if (len == 0) /* for terminals that read each byte as a character */
        return is_between(*s, 0x80, 0x9f) ? 1 : 0;
    return is_acting(code_point(s, len)) ? len : 0;
}

/* Returns 1 for characters that look like a space or nothing: the no-break space, the byte order mark. */
static int is_unseen(unsigned code)
{
    return code == 0xa0 || code == 0xfeff;
}

static void add_character(struct rdl_cli_text *t, const char *s, int is_name)
{
    unsigned char c = (unsigned char)*s;
    size_t len = utf8_len((const unsigned char *)s);
    unsigned code = code_point((const unsigned char *)s, len);

    if (c == '"' || c == '\\')
        rdl_cli_add(t, "\\%c", c);
    else if (len == 0)
        rdl_cli_add(t, "\\ufffd");
    else if (is_acting(code) || (is_name && is_unseen(code)))
        rdl_cli_add(t, "\\u%04x", code);
    else
        rdl_cli_add(t, "%.*s", (int)len, s);
}

static void add_string(struct rdl_cli_text *t, const char *s, int is_name)
{
    rdl_cli_add(t, "\"");
    for (; *s != '\0'; s += rdl_cli_char_len(s))
        add_character(t, s, is_name);
    rdl_cli_add(t, "\"");
}

void rdl_cli_add_json(struct rdl_cli_text *t, const char *s)
{
    add_string(t, s, 0);
}

void rdl_cli_add_name(struct rdl_cli_text *t, const char *s)
{
    add_string(t, s, 1);
}

int rdl_cli_add_label_value(struct rdl_cli_text *t, const char *s)
{
    int is_changed = 0;

    for (; *s != '\0'; s += rdl_cli_char_len(s)) {
        size_t len = utf8_len((const unsigned char *)s);
        int is_shown = len > 0 && rdl_cli_acting_len(s) == 0;
        if (is_shown)
            rdl_cli_add(t, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "", (int)len, s);
        else
            rdl_cli_add(t, "\xef\xbf\xbd");
        is_changed |= !is_shown;
    }
    return is_changed;
}

/*
 * Returns 1 for words that no shell changes, pasted or from a variable. (zsh replaces =name by a program's
 * path.)
 */
static int is_plain(const char *s)
{
    const char *at = s;

    while (*at != '\0' && (isalnum((unsigned char)*at) || strchr("_@%+=:./-", *at) != NULL || *at & 0x80))
        at++;
    return *at == '\0' && at > s && *s != '=';
}

void rdl_cli_add_word(struct rdl_cli_text *t, const char *s)
{
    if (is_plain(s)) {
        rdl_cli_add(t, "%s", s);
        return;
    }
    rdl_cli_add(t, "'");
    for (; *s != '\0'; s++)
        rdl_cli_add(t, "%s%c", *s == '\'' ? "'\\'" : "", *s);
    rdl_cli_add(t, "'");
}

void rdl_cli_add_holder(struct rdl_cli_text *t, uint32_t id, const char *owner)
{
    rdl_cli_add(t, owner[0] != '\0' ? "%s (%08" PRIx32 ")" : "%s%08" PRIx32, owner, id);
}

void rdl_cli_add_lock(struct rdl_cli_text *t, const char *name)
{
    rdl_cli_add(t, "%s-l ", t->len > 0 ? " " : "");
    rdl_cli_add_word(t, name);
}
