/* SPDX-License-Identifier: MIT */
/* resp_ask.c - what a new connection is asked before it is used: who the server is. All of it is constant. */
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
    };

    return rdl_write_command(w, questions[question].text, questions[question].len, NULL, 0);
}
