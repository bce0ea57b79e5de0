/* SPDX-License-Identifier: MIT */
/* lua.h - the tokens of the part of Lua that the model server runs. */
#ifndef SIM_LUA_H
#define SIM_LUA_H

#include "tests/sim/server.h"

enum token_kind {
    T_LOCAL,
    T_IF,
    T_THEN,
    T_ELSE,
    T_ELSEIF,
    T_END,
    T_RETURN,
    T_FOR,
    T_DO,
    T_OR,
    T_AND,
    T_NIL,
    T_FALSE,
    T_TRUE,
    T_TONUMBER,
    T_NOT,
    T_MAX,
    T_FORMAT,
    T_KEYS,
    T_ARGV,
    T_PCALL,
    T_CALL, /* words; the rest are signs */
    T_EQ,
    T_NE,
    T_LE,
    T_GE,
    T_ASSIGN,
    T_LT,
    T_GT,
    T_OPEN,
    T_CLOSE,
    T_INDEX,
    T_INDEX_END,
    T_TABLE,
    T_TABLE_END,
    T_COMMA,
    T_PLUS,
    T_MINUS,
    T_SEMICOLON,
    T_COUNT,
    T_CONCAT,
    T_KINDS,
    T_NAME = T_KINDS,
    T_NUMBER,
    T_TEXT,
    T_BAD,
    T_OVER
};

enum lua_kind { NIL, FALSE_, TRUE_, NUMBER, TEXT, TABLE, STATUS, FAULT }; /* {ok=text}, {err=...} */

struct lua_value {
    enum lua_kind kind;
    int64_t number;
    int64_t second; /* of a table: it has two numbers */
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
    int skipping; /* > 0: in a part that is not taken: read, do not run */
    int returned;
    const char *error; /* sticky: the first error stays */
    struct lua_value result;
    char text[80];
    int32_t name[VARIABLES];
    struct lua_value value[VARIABLES];
    uint8_t room[ROOM]; /* texts from redis.call, and its error */
    size_t room_len;
};

struct lua_value lua_expression(struct lua *l);
int lua_truth(struct lua_value v);
/* Take the token if it is of this kind; or fail. */
int lua_mark(struct lua *l, enum token_kind kind);
void lua_want(struct lua *l, enum token_kind kind);
struct lua_value lua_call(struct lua *l, int is_safe); /* redis.call or pcall has been taken */

#endif
