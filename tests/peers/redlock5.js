// SPDX-License-Identifier: MIT
// redlock5.js LOCK URL... - the npm module redlock, version 5, or its successor that $PEER_MODULE names
//
// Each attempt is an acquire of its own. With retries of its own (retryCount) an acquire keeps the key that it got on a
// minority of the servers, and sends the same value again, which that key refuses. Two such clients that wait, each with
// a key on another server, can keep all clients from a majority until their ttl is over.
'use strict';
const { setTimeout: pause } = require('timers/promises');
const { default: Redlock5, Redlock = Redlock5, ExecutionError } = require(process.env.PEER_MODULE || 'redlock5');
const { name, servers, pauses, serve, unless } = require('./driver');

const redlock = new Redlock(servers, { retryCount: 0 });

serve({
    async acquire(ttl, waits) {
        for (;;) {
            const lock = await unless(ExecutionError, null, redlock.acquire([name], ttl));
            if (lock || !waits)
                return lock;
            await pause(pauses.retryDelay + Math.random() * pauses.retryJitter);
        }
    },
    release: (lock) => unless(ExecutionError, false, lock.release().then(() => true)),
});
