/* SPDX-License-Identifier: MIT */
/*
 * timeline.pml - is a run of the code a run of steps.pml?
 *
 * Reads a timeline (timeline.awk makes it of the simulator's) from the file TIMELINE, and takes its steps in their order.
 * Nobody sees when a key expires, and to which attempt a lease belongs: these are tried. OFF is a rule of DESIGN.md that is
 * not followed, or, from 51 on, a step that the model has not. An assertion fails if the timeline is accepted to its end.
 * If not, pan prints the first step that cannot be taken.
 *
 * Times are in us. A server's clock has ms, and its rate may differ by `slack`.
 */
#define K servers
#define SERVERS 7
#define CLIENTS 20
#define TOKENS 160
#define TIME int
#define DRIFT drift
#define SLACK slack
#define VALUE(t) (t)
#define GUARD(c) guard
#define CANARY(c) canary

#define SET 51
#define REFUSED 52
#define EXTEND 53
#define MISS 54
#define DELETE 55
#define WIN 56
#define STAY 57
#define GAP 58
#define GIVE_UP 59
#define RELEASED 60
#define ADOPT 61
#define RESTART 62
#define EMPTY 63
#define SET_LATE 64

c_decl {
    \#include <stdio.h>
    \#include <stdlib.h>
    static struct { int time, kind, s, c, t, until; } step[20000];
    static int steps, furthest, servers_, guard_, canary_, drift_, slack_;
    static void told(void)
    {
        if (furthest <= steps)
            printf("refused: step %d\n", furthest);
    }
    static void load(void)
    {
        FILE *f = fopen(getenv("TIMELINE"), "r");
        if (!f || fscanf(f, "%d %d %d %d %d", &servers_, &guard_, &canary_, &drift_, &slack_) != 5)
            exit(2);
        while (steps < 20000 && fscanf(f, "%d %d %d %d %d %d", &step[steps].time, &step[steps].kind, &step[steps].s,
                                       &step[steps].c, &step[steps].t, &step[steps].until) == 6)
            steps++;
        fclose(f);
        atexit(told);
    }
}

int servers, guard, canary, drift, slack, at, count;
int kind, server, client, token, till;
byte setter[TOKENS], last[CLIENTS]; /* 1 + client; the token of the lock that it gave up */

#include "steps.pml"

#define MAY(k) (kind == k && off != k)
#define STILL_SET(t, n, x) (owner[n] == t && ends[n] > now)
#define MAY_BE_WON(x) (setter[x] == 1 + client / 3 && (!over[x] || off == 11) && SUM(PROMISES, x, now) > 0)

/* The token is that of some attempt of this client. */
inline any_attempt()
{
    token = 1;
    do
    :: token < TOKENS - 1 && !MAY_BE_WON(token) -> token++
    :: token < TOKENS - 1 && MAY_BE_WON(token) -> token++
    :: MAY_BE_WON(token) -> break
    :: token == TOKENS - 1 -> break
    od
}

inline stay()
{
    lease[mine[client]] = till;
    adopted[mine[client]] = 0;
    n = 0;
    do
    :: n < SERVERS -> confirm(mine[client], n); n++
    :: else -> break
    od
}

/* What the process before knew of the servers is not known any more. */
inline adopt()
{
    mine[client] = token;
    lease[token] = 0;
    adopted[token] = 1;
    over[token] = 0;
    setter[token] = 1 + client / 3;
    n = 0;
    do
    :: n < SERVERS -> promise[AT(token, n)] = 0; fresh[AT(token, n)] = 0; unsure[AT(token, n)] = 0; n++
    :: else -> break
    od
}

active proctype replay()
{
    byte n;
    d_step {
        c_code {
            if (steps == 0)
                load();
            now.off = getenv("OFF") ? atoi(getenv("OFF")) : 0;
            now.servers = servers_;
            now.guard = guard_;
            now.canary = canary_;
            now.drift = drift_ - slack_;
            now.slack = slack_ + 1000;
            now.count = steps;
        };
        do
        :: n < SERVERS -> restarted[n] = -guard; emptied[n] = -canary; n++
        :: else -> break
        od
    }
    do
    :: atomic {
        at < count -> c_code {
            furthest = now.at + 1 > furthest ? now.at + 1 : furthest;
            now.now = step[now.at].time;
            now.kind = step[now.at].kind;
            now.server = step[now.at].s;
            now.client = step[now.at].c;
            now.token = step[now.at].t;
            now.till = step[now.at].until;
        };
        if
        :: owner[server] != FREE && now + slack >= ends[server] -> owner[server] = FREE
        :: owner[server] == FREE || now - slack <= ends[server]
        fi;
        if
        :: MAY(SET) && MAY_SET(server, token) -> setter[token] = 1 + client; set(server, client, token, server, till)
        :: MAY(SET_LATE) && MAY_SET_LATE(server) -> set_late(server, client, token, server, till)
        :: MAY(REFUSED) && owner[server] != FREE
        :: MAY(EXTEND) && MAY_EXTEND(server, token) -> extend(server, client, token, server, till)
        :: MAY(MISS) && MAY_MISS(server, token) -> miss(token, server)
        :: MAY(DELETE) && MAY_DELETE(server, token) -> delete(server, token)
        :: MAY(WIN) -> any_attempt(); MAY_WIN(client, token, till) -> win(client, token, till)
        :: MAY(STAY) && MAY_STAY(client, mine[client], till) -> stay()
        :: MAY(GAP) && HELD(mine[client]) -> lease[mine[client]] = till
        :: MAY(GIVE_UP) -> last[client] = mine[client]; give_up(client, mine[client])
        :: MAY(RELEASED) && (SUM(STILL_SET, last[client], 0) <= K - QUORUM || off == 14)
        :: MAY(ADOPT) -> adopt()
        :: MAY(RESTART) -> restarted[server] = now;
            if
            :: till == 0 -> lose(server)
            :: else
            fi
        :: MAY(EMPTY) -> lose(server); emptied[server] = now
        fi;
        at++;
        c_code { furthest = now.at + 1 > furthest ? now.at + 1 : furthest; };
        kind = 0;
        server = 0;
        client = 0;
        token = 0;
        till = 0;
        n = 0
    }
    :: at == count -> assert(false) /* accepted */
    od
}
