/* SPDX-License-Identifier: MIT */
/*
 * The part of Lua that lock scripts are written in, run straight from the text:
 *
 *     local name=expr   name=expr   if expr then ... [else ...] end   return expr   redis.call(...)
 *     and or == ~= < <= > >= + -   'text' 123 nil true false (expr)   KEYS[n] ARGV[n] tonumber(expr)
 *
 * So a change of one character in a script's text changes what the model does, as on a real server.
 */
#include "tests/sim/lua.h"

#include <stdio.h>
#include <string.h>

enum value_kind { NIL, FALSE_, TRUE_, NUMBER, TEXT };

struct value {
    enum value_kind kind;
    int64_t number;
    struct sim_arg text;
};

enum { VARIABLES = 8, ROOM = 1024 };

struct lua {
    struct sim_call *call;
    const struct sim_script *script;
    const struct sim_lua_token *at;
    const struct sim_arg *keys, *args;
    int nkeys, nargs;
    int variables;
    int skipping; /* > 0: in a branch that is not taken: read, do not run */
    int returned;
    const char *error; /* sticky */
    struct value result;
    char text[80];
    struct sim_arg name[VARIABLES];
    struct value value[VARIABLES];
    uint8_t room[ROOM]; /* texts that redis.call gave, and its error */
    size_t room_len;
};

static struct value expression(struct lua *l, int level);
static void statements(struct lua *l);

static int truth(struct value v)
{
    return v.kind != NIL && v.kind != FALSE_;
}

static const struct sim_lua_token the_end = {T_OVER, 0, 0, 0};

static void fail(struct lua *l, const char *error)
{
    if (!l->error)
        l->error = error;
    l->at = &the_end;
}

/* Take the token if it is of this kind. */
static int mark(struct lua *l, enum token_kind kind)
{
    if (l->at->kind != kind)
        return 0;
    l->at++;
    return 1;
}

static void want(struct lua *l, enum token_kind kind)
{
    if (!mark(l, kind))
        fail(l, "ERR unexpected symbol");
}

/* The text of the token just taken. */
static struct sim_arg taken(const struct lua *l)
{
    return (struct sim_arg){(const uint8_t *)l->script->text + l->at[-1].at, l->at[-1].len};
}

static int same(struct sim_arg a, struct sim_arg b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static struct value element(struct lua *l, const struct sim_arg *list, int n)
{
    want(l, T_INDEX);
    struct value i = expression(l, 0);
    want(l, T_INDEX_END);
    if (i.kind != NUMBER || i.number < 1 || i.number > n)
        return (struct value){.kind = NIL};
    return (struct value){.kind = TEXT, .text = list[i.number - 1]};
}

static struct value to_number(struct value v)
{
    int64_t n;
    if (v.kind == TEXT && sim_arg_int(v.text, &n))
        return (struct value){.kind = NUMBER, .number = n};
    return v.kind == NUMBER ? v : (struct value){.kind = NIL};
}

/* A reply of a command as a Lua value. */
static struct value from_reply(struct lua *l, const struct sim_out *o)
{
    const uint8_t *p = o->buf;
    struct value v = {.kind = NIL};
    const uint8_t *nl = memchr(p, '\r', o->len);
    if (!nl)
        return v;
    struct sim_arg line = {p + 1, (size_t)(nl - p) - 1};
    if (p[0] == '-') {
        fail(l, "");
        o->buf[line.len + 1] = '\0';
        l->error = (const char *)line.data;
    } else if (p[0] == ':') {
        v.kind = NUMBER;
        sim_arg_int(line, &v.number);
    } else if (p[0] == '$') {
        int64_t n = -1;
        sim_arg_int(line, &n);
        v.kind = n < 0 ? FALSE_ : TEXT;
        if (n >= 0)
            v.text = (struct sim_arg){nl + 2, (size_t)n};
    } else {
        v.kind = TRUE_; /* a table {ok=...}: true enough */
    }
    return v;
}

static struct value redis_call(struct lua *l)
{
    struct sim_arg argv[SIM_ARGS];
    char digits[SIM_ARGS][24];
    int argc = 0;
    want(l, T_OPEN);
    do {
        struct value v = expression(l, 0);
        if (argc == SIM_ARGS || l->error)
            break;
        argv[argc] = v.text;
        if (v.kind == NUMBER) {
            struct sim_out o = {(uint8_t *)digits[argc], sizeof digits[0], 0};
            sim_out_int(&o, v.number);
            argv[argc] = (struct sim_arg){o.buf + 1, o.len - 3};
        }
        argc++;
    } while (mark(l, T_COMMA));
    want(l, T_CLOSE);
    if (l->skipping || l->error || ROOM - l->room_len < 256)
        return (struct value){.kind = NIL};
    struct sim_out out = {l->room + l->room_len, ROOM - l->room_len, 0};
    struct sim_call inner = *l->call;
    inner.out = &out;
    inner.argv = argv;
    inner.argc = argc;
    inner.script = l->script;
    inner.script_arg = l->nargs > 0 ? l->args[0] : (struct sim_arg){NULL, 0};
    sim_command(&inner);
    l->room_len += out.len;
    return from_reply(l, &out);
}

static struct value named(struct lua *l)
{
    if (!mark(l, T_NAME)) {
        fail(l, "ERR unexpected symbol");
        return (struct value){.kind = NIL};
    }
    for (int i = l->variables; i-- > 0;)
        if (same(l->name[i], taken(l)))
            return l->value[i];
    return (struct value){.kind = NIL};
}

static struct value parenthesis(struct lua *l)
{
    want(l, T_OPEN);
    struct value v = expression(l, 0);
    want(l, T_CLOSE);
    return v;
}

static struct value primary(struct lua *l)
{
    struct value v = {.kind = NIL};
    switch (l->at->kind) {
    case T_TEXT:
        l->at++;
        v.kind = TEXT;
        v.text = taken(l);
        v.text.data++; /* without the quotes */
        v.text.len -= 2;
        return v;
    case T_NUMBER:
        v.kind = NUMBER;
        v.number = l->at++->number;
        return v;
    case T_OPEN:
        return parenthesis(l);
    case T_MINUS:
        l->at++;
        v = to_number(primary(l));
        v.number = -v.number;
        return v;
    case T_CALL:
        l->at++;
        return redis_call(l);
    case T_KEYS:
        l->at++;
        return element(l, l->keys, l->nkeys);
    case T_ARGV:
        l->at++;
        return element(l, l->args, l->nargs);
    case T_TONUMBER:
        l->at++;
        return to_number(parenthesis(l));
    case T_NIL:
    case T_FALSE:
    case T_TRUE:
        v.kind = (enum value_kind)(NIL + (l->at++->kind - T_NIL));
        return v;
    default:
        return named(l);
    }
}

static struct value truth_value(int yes)
{
    return (struct value){.kind = yes ? TRUE_ : FALSE_};
}

static int equal(struct value a, struct value b)
{
    if (a.kind != b.kind)
        return 0;
    return a.kind == TEXT ? same(a.text, b.text) : a.kind != NUMBER || a.number == b.number;
}

static struct value order(struct lua *l, struct value a, struct value b, int or_equal)
{
    static const char *const type[] = {"nil", "boolean", "boolean", "number", "string"};
    if ((a.kind != NUMBER || b.kind != NUMBER) && !l->skipping && !l->error) {
        snprintf(l->text, sizeof l->text, "ERR user_script:1: attempt to compare %s with %s", type[a.kind],
                 type[b.kind]);
        fail(l, l->text);
    }
    return truth_value(a.number < b.number || (or_equal && a.number == b.number));
}

static struct value sum(struct lua *l)
{
    struct value v = primary(l);
    for (;;) {
        int sign = mark(l, T_PLUS) ? 1 : mark(l, T_MINUS) ? -1 : 0;
        if (sign == 0)
            return v;
        struct value w = to_number(primary(l));
        v = to_number(v);
        v.number += sign * w.number;
    }
}

static struct value comparison(struct lua *l)
{
    struct value a = sum(l);
    if (mark(l, T_EQ))
        return truth_value(equal(a, sum(l)));
    if (mark(l, T_NE))
        return truth_value(!equal(a, sum(l)));
    if (mark(l, T_LE))
        return order(l, a, sum(l), 1);
    if (mark(l, T_LT))
        return order(l, a, sum(l), 0);
    if (mark(l, T_GE))
        return order(l, sum(l), a, 1);
    if (mark(l, T_GT))
        return order(l, sum(l), a, 0);
    return a;
}

/* level 0: or, 1: and; both leave out their right side as Lua does. */
static struct value expression(struct lua *l, int level)
{
    enum token_kind op = level == 0 ? T_OR : T_AND;
    struct value v = level == 0 ? expression(l, 1) : comparison(l);
    while (mark(l, op)) {
        int decided = truth(v) == (level == 0);
        l->skipping += decided;
        struct value w = level == 0 ? expression(l, 1) : comparison(l);
        l->skipping -= decided;
        if (!decided)
            v = w;
    }
    return v;
}

static void assign(struct lua *l, int is_new)
{
    want(l, T_NAME);
    if (l->error)
        return;
    struct sim_arg w = taken(l);
    want(l, T_ASSIGN);
    struct value v = expression(l, 0);
    int i = l->variables;
    while (!is_new && i > 0 && !same(l->name[i - 1], w))
        i--;
    i = is_new || i == 0 ? l->variables : i - 1;
    if (l->skipping || l->error || i == VARIABLES)
        return;
    l->name[i] = w;
    l->value[i] = v;
    if (i == l->variables)
        l->variables++;
}

static void branch(struct lua *l)
{
    int yes = truth(expression(l, 0)) && !l->skipping;
    want(l, T_THEN);
    l->skipping += !yes;
    statements(l);
    l->skipping -= !yes;
    if (l->returned)
        return;
    if (mark(l, T_ELSE)) {
        l->skipping += yes;
        statements(l);
        l->skipping -= yes;
    }
    if (!l->returned)
        want(l, T_END);
}

static void statements(struct lua *l)
{
    while (!l->error && !l->returned) {
        if (l->at->kind == T_OVER || l->at->kind == T_END || l->at->kind == T_ELSE)
            return;
        if (mark(l, T_LOCAL)) {
            assign(l, 1);
        } else if (mark(l, T_IF)) {
            branch(l);
        } else if (mark(l, T_RETURN)) {
            struct value v = expression(l, 0);
            if (!l->skipping && !l->error) {
                l->result = v;
                l->returned = 1;
            }
        } else if (mark(l, T_CALL)) {
            redis_call(l);
        } else if (!mark(l, T_SEMICOLON)) {
            assign(l, 0);
        }
    }
}

void sim_lua_run(struct sim_call *c, const struct sim_script *script, const struct sim_arg *keys, int nkeys,
                 const struct sim_arg *args, int nargs)
{
    struct lua l;
    memset(&l, 0, offsetof(struct lua, text));
    l.call = c;
    l.script = script;
    l.at = script->token;
    l.keys = keys;
    l.nkeys = nkeys;
    l.args = args;
    l.nargs = nargs;
    l.room_len = 0;
    statements(&l);
    if (l.error) {
        sim_out_error(c->out, "%s script: %s, on @user_script:1.", l.error, script->sha);
        return;
    }
    if (l.result.kind == NUMBER || l.result.kind == TRUE_)
        sim_out_int(c->out, l.result.kind == TRUE_ ? 1 : l.result.number);
    else if (l.result.kind == TEXT)
        sim_out_bulk(c->out, l.result.text.data, l.result.text.len);
    else
        sim_out_text(c->out, "$-1\r\n");
    struct sim_arg none = {NULL, 0};
    struct sim_call noted = *c;
    noted.script = script;
    noted.script_arg = nargs > 0 ? args[0] : none;
    noted.argc = nargs;
    sim_note(&noted, SIM_SCRIPT_DONE, nkeys > 0 ? keys[0] : none, none, none,
             l.result.kind == NUMBER ? l.result.number : truth(l.result));
}
