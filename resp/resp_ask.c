/* SPDX-License-Identifier: MIT */
/*
 * resp_ask.c - what a new connection is asked before it is used: who the server is, and what it can do.
 * All of it is constant but for the length of a script.
 */
#include "resp/resp_cmd_private.h"

#define LITERAL_LEN(text) (sizeof(text) - 1)
#define QUESTION(text)                                                                                       \
    {                                                                                                        \
        text, LITERAL_LEN(text)                                                                              \
    }

int rdl_cmd_ask(struct rdl_writer *w, enum rdl_question question)
{
    static const struct {
        const char *text;
        uint8_t len;
    } questions[] = {
        QUESTION("*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n"),
        QUESTION("*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n"),
        QUESTION("*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n"),
        QUESTION("*1\r\n$5\r\nDELEX\r\n"),
        QUESTION("*1\r\n$7\r\nDELIFEQ\r\n"),
    };

    return rdl_write_command(w, questions[question].text, questions[question].len, NULL, 0);
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
