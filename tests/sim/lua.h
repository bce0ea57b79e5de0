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
    T_END,
    T_RETURN,
    T_OR,
    T_AND,
    T_NIL,
    T_FALSE,
    T_TRUE,
    T_TONUMBER,
    T_KEYS,
    T_ARGV,
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
    T_COMMA,
    T_PLUS,
    T_MINUS,
    T_SEMICOLON,
    T_KINDS,
    T_NAME = T_KINDS,
    T_NUMBER,
    T_TEXT,
    T_BAD,
    T_OVER
};

#endif
