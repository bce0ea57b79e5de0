/* SPDX-License-Identifier: MIT */
/*
 * eva_write.c - every command, into a buffer of any size (it ends where the object ends), behind anything already
 * written, with arguments of several lengths and any bytes. WP has the decimals in general (resp_write.c).
 */
#include "resp/resp_cmd.c"
#include "resp/resp_write.c"

#include "__fc_builtin.h"

enum { SIZE = 112 }; /* the longest of these commands takes 105 */
static uint8_t memory[SIZE];
static uint8_t key_bytes[3];
static uint8_t token_bytes[3];

static const size_t key_lens[] = {0, 3};
static const size_t token_lens[] = {3};
static const uint32_t numbers[] = {30000};

static int one(struct rdl_writer *w, int command, struct rdl_bytes key, struct rdl_bytes token,
               uint32_t number)
{
    const struct rdl_bytes argv[] = {key, token, {"30000", 5}};

    switch (command) {
    case 0:
        return rdl_cmd_auth(w, key, token);
    case 1:
        return rdl_cmd_select(w, number);
    case 2:
        return rdl_cmd_client_setname(w, key);
    case 3:
        return rdl_cmd_set_nx_px(w, key, token, number);
    case 4:
        return rdl_cmd_pttl(w, key);
    case 5:
        return rdl_cmd_evalsha(w, &rdl_script_release, argv);
    case 6:
        return rdl_cmd_eval_head(w, &rdl_script_extend);
    default:
        return rdl_cmd_eval_tail(w, &rdl_script_extend, argv);
    }
}

int main(void)
{
    struct rdl_writer w;
    struct rdl_bytes key = {key_bytes, key_lens[Frama_C_interval(0, 1)]};
    struct rdl_bytes token = {token_bytes, token_lens[0]};
    uint32_t number = numbers[0];
    size_t room = (size_t)Frama_C_interval(0, SIZE);
    size_t before;
    int command = Frama_C_interval(0, 7);
    int result;

    Frama_C_make_unknown((char *)key_bytes, sizeof key_bytes);
    Frama_C_make_unknown((char *)token_bytes, sizeof token_bytes);
    //@ split command;
    //@ split key.len;
    //@ split token.len;
    //@ split number;
    //@ split room;
    rdl_writer_init(&w, memory + (SIZE - room), room);
    before = room < 3 ? room : 3;
    w.len = before;
    result = one(&w, command, key, token, number);
    //@ assert bounded: w.len <= room;
    //@ assert refused: result != 0 ==> w.len == before && w.error == RDL_E_SPACE;
    //@ assert accepted: result == 0 ==> w.len > before && w.error == 0;
    return result;
}
