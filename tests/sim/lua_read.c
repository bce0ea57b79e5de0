/* SPDX-License-Identifier: MIT */
/* A script's text in tokens. */
#include "tests/sim/lua.h"

#include <ctype.h>
#include <string.h>

static const char *const spelling[T_KINDS] = {
    "local", "if",   "then",        "else",       "elseif", "end",      "return", "for",      "do",
    "or",    "and",  "nil",         "false",      "true",   "tonumber", "not",    "math.max", "string.format",
    "KEYS",  "ARGV", "redis.pcall", "redis.call", "==",     "~=",       "<=",     ">=",       "=",
    "<",     ">",    "(",           ")",          "[",      "]",        "{",      "}",        ",",
    "+",     "-",    ";",           "#",          ".."};

static int is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The token that begins at p; fills all but at. */
static size_t read_token(struct sim_lua_token *t, const char *p, const char *end)
{
    size_t n = 0;
    t->number = 0;
    t->kind = T_BAD;
    if (*p == '\'' || *p == '"') {
        const char *close = memchr(p + 1, *p, (size_t)(end - p) - 1);
        t->kind = close ? T_TEXT : T_BAD;
        return close ? (size_t)(close - p) + 1 : 1;
    }
    if (isdigit((unsigned char)*p)) {
        for (; p + n < end && isdigit((unsigned char)p[n]) && n < 9; n++)
            t->number = t->number * 10 + (p[n] - '0');
        t->kind = T_NUMBER;
        return n;
    }
    while (p + n < end && is_word_byte(p[n]) && !(p + n + 1 < end && memcmp(p + n, "..", 2) == 0))
        n++;
    if (n > 0)
        t->kind = T_NAME;
    for (int k = 0; k < T_KINDS; k++) {
        size_t len = strlen(spelling[k]);
        int fits = n > 0 ? len == n : k > T_CALL && len <= (size_t)(end - p);
        if (fits && memcmp(p, spelling[k], len) == 0) {
            t->kind = (uint8_t)k;
            return len;
        }
    }
    return n > 0 ? n : 1;
}

/* The first place of this name in the text. */
static int32_t name_of(const struct sim_script *s, const struct sim_lua_token *t)
{
    const struct sim_lua_token *first = s->token;
    while (first->kind != T_NAME || first->len != t->len ||
           memcmp(s->text + first->at, s->text + t->at, t->len) != 0)
        first++;
    return first->at;
}

int sim_lua_read(struct sim_script *s)
{
    const char *p = s->text, *end = s->text + s->len;
    s->tokens = 0;
    for (;;) {
        while (p < end && isspace((unsigned char)*p))
            p++;
        if (s->tokens == SIM_LUA_TOKENS)
            return 0;
        struct sim_lua_token *t = &s->token[s->tokens++];
        t->at = (uint16_t)(p - s->text);
        t->kind = T_OVER;
        if (p == end)
            return 1;
        size_t n = read_token(t, p, end);
        if (n > UINT8_MAX)
            return 0;
        t->len = (uint8_t)n;
        if (t->kind == T_NAME)
            t->number = name_of(s, t);
        p += n;
    }
}
