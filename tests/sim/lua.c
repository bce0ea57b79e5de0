/* SPDX-License-Identifier: MIT */
/*
 * The part of Lua in which lock scripts are written, run directly from the text:
 *
 *     local name=expr   name=expr   if expr then ... [elseif expr then ...] [else ...] end   return expr
 *     for name=expr,expr do ... end   redis.call(...)
 *     redis.pcall(...).ok   {number, number}   math.max(a, b)   string.format('%.0f', n)   not
 *     and or == ~= < <= > >= + - ..   'text' 123 nil true false (expr)   KEYS[n] ARGV[n] #KEYS #ARGV
 *     redis.call(...)[n]   tonumber(expr)
 *
 * So a change of one character in a script's text changes what the model does, as on a real server.
 */
#include "tests/sim/lua.h"

#include <stdio.h>
#include <string.h>

static void statements(struct lua *l);

static void assign(struct lua *l, int is_new)
{
    lua_want(l, T_NAME);
    if (l->error)
        return;
    int32_t w = l->at[-1].number;
    lua_want(l, T_ASSIGN);
    struct lua_value v = lua_expression(l);
    int i = l->variables;
    while (!is_new && i > 0 && l->name[i - 1] != w)
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
    int yes = lua_truth(lua_expression(l)) && !l->skipping;
    lua_want(l, T_THEN);
    l->skipping += !yes;
    statements(l);
    l->skipping -= !yes;
    if (l->returned)
        return;
    l->skipping += yes;
    if (lua_mark(l, T_ELSEIF)) {
        branch(l); /* the end belongs to this loop */
        l->skipping -= yes;
        return;
    }
    if (lua_mark(l, T_ELSE))
        statements(l);
    l->skipping -= yes;
    if (!l->returned)
        lua_want(l, T_END);
}

/* The body of a for loop: name=first,last do ... end. Its local names end with each round. */
static void loop(struct lua *l)
{
    int outside = l->variables;
    assign(l, 1);
    lua_want(l, T_COMMA);
    struct lua_value last = lua_expression(l);
    lua_want(l, T_DO);
    const struct sim_lua_token *body = l->at;
    struct lua_value *i = &l->value[outside];
    int is_over = l->skipping || outside == VARIABLES || i->number > last.number;
    l->skipping += is_over; /* read the body once even then */
    statements(l);
    while (!is_over && !l->returned && !l->error && ++i->number <= last.number) {
        l->variables = outside + 1;
        l->at = body;
        statements(l);
    }
    l->skipping -= is_over;
    l->variables = outside;
    if (!l->returned)
        lua_want(l, T_END);
}

/* A branch that is not taken: skip to its end, whatever it contains. */
static void skip(struct lua *l)
{
    for (int depth = 0;; l->at++) {
        enum token_kind kind = l->at->kind;
        if (kind == T_OVER || (depth == 0 && (kind == T_END || kind == T_ELSE || kind == T_ELSEIF)))
            return;
        depth += kind == T_IF || kind == T_FOR ? 1 : kind == T_END ? -1 : 0;
    }
}

static void statements(struct lua *l)
{
    if (l->skipping)
        skip(l);
    while (!l->error && !l->returned) {
        if (l->at->kind == T_OVER || l->at->kind == T_END || l->at->kind == T_ELSE || l->at->kind == T_ELSEIF)
            return;
        if (lua_mark(l, T_LOCAL)) {
            assign(l, 1);
        } else if (lua_mark(l, T_IF)) {
            branch(l);
        } else if (lua_mark(l, T_FOR)) {
            loop(l);
        } else if (lua_mark(l, T_RETURN)) {
            struct lua_value v = lua_expression(l);
            if (!l->skipping && !l->error) {
                l->result = v;
                l->returned = 1;
            }
        } else if (l->at->kind == T_CALL || l->at->kind == T_PCALL) {
            lua_expression(l);
        } else if (!lua_mark(l, T_SEMICOLON)) {
            assign(l, 0);
        }
    }
}

static void answer_line(struct sim_out *o, const struct lua_value *v)
{
    char line[256];
    snprintf(line, sizeof line, "%c%.*s\r\n", v->kind == STATUS ? '+' : '-', (int)v->text.len,
             (const char *)v->text.data);
    sim_out_text(o, line);
}

/* A script that failed: every kind of server words the place and the error differently. */
static void say_error(struct sim_call *c, const struct sim_script *script, const char *error)
{
    enum sim_texts texts = c->server->features->texts;
    if (texts == SIM_REDIS6 && strncmp(error, "ERR user_script", 15) == 0)
        error += 4; /* Lua's own words */
    if (texts == SIM_REDIS6)
        sim_out_error(c->out, "ERR Error running script (call to f_%s): @user_script:1: %s", script->sha,
                      error);
    else if (texts == SIM_VALKEY9)
        sim_out_error(c->out, "%s script: on @user_script:1.", error);
    else
        sim_out_error(c->out, "%s script: %s, on @user_script:1.", error, script->sha);
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
        say_error(c, script, l.error);
        return;
    }
    if (l.result.kind == NUMBER || l.result.kind == TRUE_)
        sim_out_int(c->out, l.result.kind == TRUE_ ? 1 : l.result.number);
    else if (l.result.kind == STATUS || l.result.kind == FAULT)
        answer_line(c->out, &l.result);
    else if (l.result.kind == TABLE) {
        sim_out_text(c->out, "*2\r\n");
        sim_out_int(c->out, l.result.number);
        sim_out_int(c->out, l.result.second);
    } else if (l.result.kind == TEXT)
        sim_out_bulk(c->out, l.result.text.data, l.result.text.len);
    else
        sim_out_text(c->out, "$-1\r\n");
    struct sim_arg none = {NULL, 0};
    struct sim_call noted = *c;
    noted.script = script;
    noted.script_arg = nargs > 0 ? args[0] : none;
    noted.argv = args;
    noted.argc = nargs;
    sim_note(&noted, SIM_SCRIPT_DONE, nkeys > 0 ? keys[0] : none, none, none,
             l.result.kind == NUMBER || l.result.kind == TABLE ? l.result.number : lua_truth(l.result));
}
