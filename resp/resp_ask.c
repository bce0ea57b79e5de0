/* SPDX-License-Identifier: MIT */
/*
 * resp_ask.c - what a new connection is asked before it is used: who the server is, and what it can do.
 * All of it is constant but for the length of a script.
 */
#include "resp/resp_cmd_private.h"

#define LITERAL_LEN(text) (sizeof(text) - 1)

int rdl_cmd_ask(struct rdl_writer *w, enum rdl_question question)
{
    static const char server[] = "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n";
    static const char replication[] = "*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n";
    static const char memory[] = "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n";
    static const char delex[] = "*1\r\n$5\r\nDELEX\r\n";
    static const char delifeq[] = "*1\r\n$7\r\nDELIFEQ\r\n";

    switch (question) {
    case RDL_ASK_SERVER:
        return rdl_write_command(w, server, LITERAL_LEN(server), NULL, 0);
    case RDL_ASK_REPLICATION:
        return rdl_write_command(w, replication, LITERAL_LEN(replication), NULL, 0);
    case RDL_ASK_MEMORY:
        return rdl_write_command(w, memory, LITERAL_LEN(memory), NULL, 0);
    case RDL_ASK_DELEX:
        return rdl_write_command(w, delex, LITERAL_LEN(delex), NULL, 0);
    case RDL_ASK_DELIFEQ:
        break;
    }
    return rdl_write_command(w, delifeq, LITERAL_LEN(delifeq), NULL, 0);
}

int rdl_cmd_load_head(struct rdl_writer *w, const struct rdl_script *s)
{
    static const char head[] = "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$";
    char text[LITERAL_LEN(head) + RDL_DEC_MAX + 2];
    size_t len;

    for (len = 0; len < LITERAL_LEN(head); len++)
        text[len] = head[len];
    len += rdl_dec_u32(text + len, s->text_len);
    text[len++] = '\r';
    text[len++] = '\n';
    return rdl_write_command(w, text, len, NULL, 0);
}

int rdl_cmd_load_tail(struct rdl_writer *w)
{
    return rdl_write_command(w, "\r\n", 2, NULL, 0);
}
