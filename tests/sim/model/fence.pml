/* SPDX-License-Identifier: MIT */
/*
 * fence.pml - fencing tokens over N servers whose counters may differ (DESIGN section 9).
 *
 * Each server counts its own grants. A client takes the greatest count of its votes and writes it back
 * until a majority holds it. A server accepts that only while the key is still the client's (-DUNCONDITIONAL:
 * always; -DNOWRITEBACK: never). A holder records its token; the recorded tokens must grow.
 * 3 servers with unequal counters, 2 clients, releases and expiry at any time.
 */
#define K 3
#define QUORUM 2
#ifndef TRIES
#define TRIES 1 /* of client 1 */
#endif
#ifndef TRIES0
#define TRIES0 1
#endif
#define FREE 0

byte owner[K];
byte count[K] = 0;
byte last = 0;      /* the greatest token granted, in order of the grants */

proctype client(byte me)
{
    byte n, got, written, highest, tries = 0, before;
    byte vote[K];
    do
    :: tries < (me == 0 -> TRIES0 : TRIES) ->
        d_step {
            tries++;
            n = 0;
            got = 0;
            written = 0;
            highest = 0;
            before = last;
            vote[0] = 0;
            vote[1] = 0;
            vote[2] = 0
        }
        do
        :: n < K ->
            if
            :: d_step {
                owner[n] == FREE -> owner[n] = 1 + me;
                count[n]++;
                vote[n] = count[n];
                got++;
                if
                :: count[n] > highest -> highest = count[n]
                :: else
                fi;
                n++
            }
            :: n++ /* refused or lost */
            fi
        :: n == K -> break
        od;
        if
        :: got >= QUORUM ->
            d_step { n = 0 }
            do
            :: n < K ->
                if
                :: vote[n] == highest -> d_step { written++; n++ }
#ifndef NOWRITEBACK
#ifdef UNCONDITIONAL
                :: vote[n] != 0 && vote[n] != highest -> d_step { count[n] = highest; written++; n++ }
#else
                :: d_step {
                    vote[n] != 0 && vote[n] != highest && owner[n] == 1 + me ->
                    if
                    :: count[n] < highest -> count[n] = highest
                    :: else
                    fi;
                    written++;
                    n++
                }
#endif
#endif
                :: vote[n] != highest -> n++ /* it did not vote, or its reply is lost */
                fi
            :: n == K -> break
            od;
            if
#ifdef NOWRITEBACK
            :: d_step { got >= QUORUM -> assert(highest > before); last = (highest > last -> highest : last) }
#else
            :: d_step { written >= QUORUM -> assert(highest > before); last = (highest > last -> highest : last) }
#endif
            :: else
            fi
        :: else
        fi;
        d_step { n = 0 } /* it releases, or its keys expire: each server at its own time */
        do
        :: n < K -> d_step {
            if
            :: owner[n] == 1 + me -> owner[n] = FREE
            :: else
            fi;
            n++
        }
        :: n == K -> break
        od;
        atomic { n = 0; got = 0; written = 0; highest = 0; before = 0; vote[0] = 0; vote[1] = 0; vote[2] = 0 }
    :: break
    od
}

/* A lease expires while its holder is stopped: servers delete it in any order. */
active proctype time()
{
    byte n, endings = 0;
    do
    :: atomic {
        endings < 2 -> endings++;
        if
        :: n = 0
        :: n = 1
        :: n = 2
        fi;
        owner[n] = FREE
    }
    :: break
    od
}

init
{
    atomic {
        count[0] = 3;
        count[1] = 0;
        count[2] = 0;
        run client(0);
        run client(1)
    }
}
