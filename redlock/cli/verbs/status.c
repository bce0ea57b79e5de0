/* SPDX-License-Identifier: MIT */
/*
 * `redlock status`: shows the holders of these locks, and how long they last at most; with --once, whether
 * the tick of each lock is done. It writes nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"

/* Prints how many slots are held. They count as held if all are. */
static int conclude_slots(const struct rdl_cli_query *l, const char *name, const unsigned n[],
                          unsigned beyond, enum rdl_cli_state *state)
{
    unsigned slots = (unsigned)l->o->slots, held = n[RDL_CLI_HELD] + n[RDL_CLI_SPLIT];
    char line[RDL_NAME_MAX + 80], unknown[40] = "";
    struct rdl_cli_text t = {line, sizeof line, 0}, u = {unknown, sizeof unknown, 0};

    if (n[RDL_CLI_UNKNOWN] > 0)
        rdl_cli_add(&u, ", %u unknown", n[RDL_CLI_UNKNOWN]);
    rdl_cli_add(&t, "%s: %u of %u slots held%s", name, held, slots, unknown);
    if (beyond > 0)
        rdl_cli_print_warning("%u of the slots from %u on are held: another host uses a larger --slots for "
                              "%s; give all hosts the same number",
                              beyond, slots, name);
    *state = held == slots ? RDL_CLI_HELD : n[RDL_CLI_FREE] == 0 ? RDL_CLI_UNKNOWN : RDL_CLI_FREE;
    return l->o->format == RDL_CLI_FORMAT_JSON ? 0 : rdl_cli_print_line(line);
}

/* Reads all slots, and as many more: those that a client with a larger N would hold. */
static int look_at_slots(struct rdl_cli_query *l, const char *name, int is_first, enum rdl_cli_state *state)
{
    unsigned n[RDL_CLI_UNKNOWN + 1] = {0}, beyond = 0, slots = (unsigned)l->o->slots;
    int is_json = l->o->format == RDL_CLI_FORMAT_JSON, rc = 0;

    for (unsigned k = 0; k < 2 * slots && k < RDL_SLOTS_MAX && rc == 0; k++) {
        char slot[RDL_CLI_SLOT_MAX];
        struct rdl_cli_verdict v;
        rdl_cli_slot_name(name, k, slot);
        rdl_cli_query_at(l, slot);
        rdl_cli_query_verdict(l, &v);
        beyond += k >= slots && v.what == RDL_CLI_HELD;
        if (k >= slots)
            continue;
        n[v.what]++;
        if (is_json)
            rc = rdl_cli_query_json(l, &v, slot, is_first && k == 0);
        else if (v.what != RDL_CLI_FREE)
            rc = rdl_cli_verdict_show(&v, slot);
        rdl_cli_query_apart(l, &v, slot);
    }
    return rc == 0 ? conclude_slots(l, name, n, beyond, state) : rc;
}

/* Shows one lock, its slots, or its tick. Returns 0 or an exit status; *state is what `status` exits with. */
static int look_at(struct rdl_cli_query *l, const char *name, int is_first, enum rdl_cli_state *state)
{
    struct rdl_cli_verdict v;

    if (l->o->slots != 0)
        return look_at_slots(l, name, is_first, state);
    if (l->o->once != NULL)
        return rdl_cli_tick_show(l, name, is_first, state);
    rdl_cli_query_at(l, name);
    rdl_cli_query_verdict(l, &v);
    int rc = l->o->format == RDL_CLI_FORMAT_JSON ? rdl_cli_query_json(l, &v, name, is_first)
                                                 : rdl_cli_query_show(l, &v, name);
    if (rc == 0)
        rdl_cli_query_apart(l, &v, name);
    *state = v.what;
    return rc;
}

static int look_at_all(struct rdl_cli_query *l)
{
    int is_json = l->o->format == RDL_CLI_FORMAT_JSON, status = 0;

    rdl_cli_host_differences_own(l->servers, l->o);
    if (is_json && rdl_cli_print("{\"locks\":[") != 0)
        return RDL_EXIT_OS;
    for (size_t k = 0; k < l->o->n_looked_at; k++) {
        enum rdl_cli_state state;
        int rc = look_at(l, l->o->looked_at[k], k == 0, &state);
        if (rc != 0)
            return rc;
        status = rdl_cli_worse(l, status, state);
    }
    return is_json && rdl_cli_print("]}\n") != 0 ? RDL_EXIT_OS : status;
}

int rdl_cli_status(int argc, char **argv)
{
    return rdl_cli_look(RDL_CLI_STATUS, argc, argv, look_at_all);
}
