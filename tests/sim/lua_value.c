/* SPDX-License-Identifier: MIT */
/* The values and expressions of a script. */
#include "tests/sim/lua.h"

#include <stdio.h>
#include <string.h>

int lua_truth(struct lua_value v)
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
int lua_mark(struct lua *l, enum token_kind kind)
{
    if (l->at->kind != kind)
        return 0;
    l->at++;
    return 1;
}

void lua_want(struct lua *l, enum token_kind kind)
{
    if (!lua_mark(l, kind))
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

static struct lua_value element(struct lua *l, const struct sim_arg *list, int n)
{
    struct lua_value i = {.kind = NUMBER};
    if (l->at->kind == T_INDEX && l->at[1].kind == T_NUMBER &&
        l->at[2].kind == T_INDEX_END) { /* the most frequent case */
        i.number = l->at[1].number;
        l->at += 3;
    } else {
        lua_want(l, T_INDEX);
        i = lua_expression(l);
        lua_want(l, T_INDEX_END);
    }
    if (i.kind != NUMBER || i.number < 1 || i.number > n)
        return (struct lua_value){.kind = NIL};
    return (struct lua_value){.kind = TEXT, .text = list[i.number - 1]};
}

static struct lua_value to_number(struct lua_value v)
{
    int64_t n;
    if (v.kind == TEXT && sim_arg_int(v.text, &n))
        return (struct lua_value){.kind = NUMBER, .number = n};
    return v.kind == NUMBER ? v : (struct lua_value){.kind = NIL};
}

/* A reply of a command as a Lua value. */
static struct lua_value from_reply(struct lua *l, const struct sim_out *o, int is_safe)
{
    const uint8_t *p = o->buf;
    struct lua_value v = {.kind = NIL};
    const uint8_t *nl = memchr(p, '\r', o->len);
    if (!nl)
        return v;
    struct sim_arg line = {p + 1, (size_t)(nl - p) - 1};
    if (p[0] == '-' && is_safe) {
        v.kind = FAULT;
        v.text = line;
    } else if (p[0] == '-') {
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
        v.kind = STATUS;
        v.text = line;
    }
    return v;
}

/* After a call: the field of its table with its outcome. */
static struct lua_value field(struct lua *l, struct lua_value v)
{
    if (l->at->kind != T_NAME || l->at->len != 3 || memcmp(l->script->text + l->at->at, ".ok", 3) != 0)
        return v;
    l->at++;
    v.kind = v.kind == STATUS ? TEXT : NIL;
    return v;
}

/* After a call with an array of texts as its reply: [n]. */
static struct lua_value item(struct lua *l, struct lua_value v, const struct sim_out *o)
{
    if (!lua_mark(l, T_INDEX))
        return v;
    struct lua_value i = lua_expression(l);
    lua_want(l, T_INDEX_END);
    const uint8_t *end = o->buf + o->len;
    const uint8_t *at = o->len > 0 && *o->buf == '*' ? memchr(o->buf, '\n', o->len) : NULL;
    v = (struct lua_value){.kind = NIL};
    for (; at && ++at < end && *at == '$' && v.kind == NIL; i.number--) {
        int64_t n = 0;
        const uint8_t *cr = memchr(at, '\r', (size_t)(end - at));
        if (!cr || !sim_arg_int((struct sim_arg){at + 1, (size_t)(cr - at) - 1}, &n))
            break;
        if (i.number == 1)
            v = (struct lua_value){.kind = TEXT, .text = {cr + 2, (size_t)n}};
        at = cr + 2 + n + 1;
    }
    return v;
}

struct lua_value lua_call(struct lua *l, int is_safe)
{
    struct sim_arg argv[SIM_ARGS];
    char digits[SIM_ARGS][24];
    int argc = 0;
    lua_want(l, T_OPEN);
    do {
        struct lua_value v = lua_expression(l);
        if (argc == SIM_ARGS || l->error)
            break;
        argv[argc] = v.text;
        if (v.kind == NUMBER) {
            // cppcheck-suppress legacyUninitvar ; this is where it is written
            struct sim_out o = {(uint8_t *)digits[argc], sizeof digits[0], 0};
            sim_out_int(&o, v.number);
            argv[argc] = (struct sim_arg){o.buf + 1, o.len - 3};
        }
        argc++;
    } while (lua_mark(l, T_COMMA));
    lua_want(l, T_CLOSE);
    struct sim_out out = {l->room + l->room_len, ROOM - l->room_len, 0};
    if (l->skipping || l->error || out.cap < 256)
        return item(l, field(l, (struct lua_value){.kind = NIL}), &out);
    struct sim_call inner = *l->call;
    inner.out = &out;
    inner.argv = argv;
    inner.argc = argc;
    inner.script = l->script;
    inner.script_arg = l->nargs > 0 ? l->args[0] : (struct sim_arg){NULL, 0};
    sim_command(&inner);
    l->room_len += out.len;
    return item(l, field(l, from_reply(l, &out, is_safe)), &out);
}

static struct lua_value named(struct lua *l)
{
    if (!lua_mark(l, T_NAME)) {
        fail(l, "ERR unexpected symbol");
        return (struct lua_value){.kind = NIL};
    }
    for (int i = l->variables; i-- > 0;)
        if (l->name[i] == l->at[-1].number)
            return l->value[i];
    return (struct lua_value){.kind = NIL};
}

static struct lua_value parenthesis(struct lua *l)
{
    lua_want(l, T_OPEN);
    struct lua_value v = lua_expression(l);
    lua_want(l, T_CLOSE);
    return v;
}

static struct lua_value maximum(struct lua *l)
{
    lua_want(l, T_OPEN);
    struct lua_value a = to_number(lua_expression(l));
    lua_want(l, T_COMMA);
    struct lua_value b = to_number(lua_expression(l));
    lua_want(l, T_CLOSE);
    return a.number > b.number ? a : b;
}

/* string.format('%.0f', number): a whole number as it is. */
static struct lua_value format(struct lua *l)
{
    lua_want(l, T_OPEN);
    lua_expression(l);
    lua_want(l, T_COMMA);
    struct lua_value v = to_number(lua_expression(l));
    lua_want(l, T_CLOSE);
    if (ROOM - l->room_len < 32)
        return (struct lua_value){.kind = NIL};
    struct sim_out o = {l->room + l->room_len, 32, 0};
    sim_out_int(&o, v.number);
    v.kind = TEXT;
    v.text = (struct sim_arg){o.buf + 1, o.len - 3};
    l->room_len += o.len;
    return v;
}

static struct lua_value table(struct lua *l)
{
    struct lua_value v = to_number(lua_expression(l));
    lua_want(l, T_COMMA);
    v.second = to_number(lua_expression(l)).number;
    lua_want(l, T_TABLE_END);
    v.kind = TABLE;
    return v;
}

static struct lua_value primary(struct lua *l)
{
    struct lua_value v = {.kind = NIL};
    switch (l->at->kind) {
    case T_TEXT:
        l->at++;
        v.kind = TEXT;
        v.text = taken(l);
        v.text.data++; /* without its quotes */
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
    case T_NOT:
        l->at++;
        v.kind = lua_truth(primary(l)) ? FALSE_ : TRUE_;
        return v;
    case T_MAX:
        l->at++;
        return maximum(l);
    case T_FORMAT:
        l->at++;
        return format(l);
    case T_TABLE:
        l->at++;
        return table(l);
    case T_CALL:
    case T_PCALL:
        return lua_call(l, l->at++->kind == T_PCALL);
    case T_KEYS:
        l->at++;
        return element(l, l->keys, l->nkeys);
    case T_COUNT:
        l->at++;
        return (struct lua_value){.kind = NUMBER, .number = l->at++->kind == T_KEYS ? l->nkeys : l->nargs};
    case T_ARGV:
        l->at++;
        return element(l, l->args, l->nargs);
    case T_TONUMBER:
        l->at++;
        return to_number(parenthesis(l));
    case T_NIL:
    case T_FALSE:
    case T_TRUE:
        v.kind = (enum lua_kind)(NIL + (l->at++->kind - T_NIL));
        return v;
    default:
        return named(l);
    }
}

static struct lua_value truth_value(int yes)
{
    return (struct lua_value){.kind = yes ? TRUE_ : FALSE_};
}

static int equal(struct lua_value a, struct lua_value b)
{
    if (a.kind != b.kind)
        return 0;
    return a.kind == TEXT ? same(a.text, b.text) : a.kind != NUMBER || a.number == b.number;
}

static struct lua_value order(struct lua *l, struct lua_value a, struct lua_value b, int or_equal)
{
    static const char *const type[] = {"nil",    "boolean", "boolean", "number",
                                       "string", "table",   "table",   "table"};
    if ((a.kind != NUMBER || b.kind != NUMBER) && !l->skipping && !l->error) {
        snprintf(l->text, sizeof l->text, "ERR user_script:1: attempt to compare %s with %s", type[a.kind],
                 type[b.kind]);
        fail(l, l->text);
    }
    return truth_value(a.number < b.number || (or_equal && a.number == b.number));
}

/* Read the rest of an expression after its first operand, and leave the result in its place. */
static void sum(struct lua *l, struct lua_value *v)
{
    while (l->at->kind == T_PLUS || l->at->kind == T_MINUS) {
        int sign = l->at++->kind == T_PLUS ? 1 : -1;
        struct lua_value w = to_number(primary(l));
        *v = to_number(*v);
        v->number += sign * w.number;
    }
}

static void concat(struct lua *l, struct lua_value *v)
{
    sum(l, v);
    while (lua_mark(l, T_CONCAT)) {
        struct lua_value w = primary(l);
        sum(l, &w);
        if (l->skipping || l->error)
            continue;
        if (v->kind != TEXT || w.kind != TEXT || ROOM - l->room_len < v->text.len + w.text.len) {
            fail(l, "ERR user_script:1: attempt to concatenate what is no string");
            return;
        }
        uint8_t *to = l->room + l->room_len;
        memcpy(to, v->text.data, v->text.len);
        memcpy(to + v->text.len, w.text.data, w.text.len);
        v->text = (struct sim_arg){to, v->text.len + w.text.len};
        l->room_len += v->text.len;
    }
}

static void comparison(struct lua *l, struct lua_value *a)
{
    concat(l, a);
    enum token_kind op = l->at->kind;
    if (op != T_EQ && op != T_NE && op != T_LE && op != T_LT && op != T_GE && op != T_GT)
        return;
    l->at++;
    struct lua_value b = primary(l);
    concat(l, &b);
    if (op == T_EQ || op == T_NE)
        *a = truth_value(equal(*a, b) == (op == T_EQ));
    else if (op == T_LE || op == T_LT)
        *a = order(l, *a, b, op == T_LE);
    else
        *a = order(l, b, *a, op == T_GE);
}

/* level 0: or, 1: and; both leave out their right side as Lua does. */
static void logic(struct lua *l, struct lua_value *v, int level)
{
    enum token_kind op = level == 0 ? T_OR : T_AND;
    if (level == 0)
        logic(l, v, 1);
    else
        comparison(l, v);
    while (lua_mark(l, op)) {
        int decided = lua_truth(*v) == (level == 0);
        l->skipping += decided;
        struct lua_value w = primary(l);
        if (level == 0)
            logic(l, &w, 1);
        else
            comparison(l, &w);
        l->skipping -= decided;
        if (!decided)
            *v = w;
    }
}

struct lua_value lua_expression(struct lua *l)
{
    struct lua_value v = primary(l);
    switch (l->at->kind) { /* most often the expression ends here */
    case T_COMMA:
    case T_CLOSE:
    case T_THEN:
    case T_INDEX_END:
    case T_TABLE_END:
        break;
    default:
        logic(l, &v, 0);
    }
    return v;
}
