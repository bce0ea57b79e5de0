// SPDX-License-Identifier: MIT
// driver.js - the line protocol between peers.py and a client. For each line of standard input it prints one line:
//   try TTL     one attempt, TTL in ms: `held`, or `busy`
//   wait TTL    attempts until the lock is held, with the pauses of the client's library: `held`
//   release     `released`, or `lost`; in the old protocol also `overwritten`, by a client that waited
// Anything unexpected ends the process with a message on standard error.
'use strict';
const readline = require('readline');
const Redis = require('ioredis');

exports.name = process.argv[2];
// A request to a server that is down fails when the next connect does: soon.
exports.servers = process.argv.slice(3).map((url) => {
    const server = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => 10 });
    server.on('error', () => {});
    return server;
});
// Pauses in ms. The libraries' own, 200 or 100, would make the turns slow.
exports.pauses = { retryDelay: 20, retryJitter: 10 };

// client.acquire(ttl, waits) resolves to a lock, or to nothing if another client holds it; client.release(lock) to true.
exports.serve = async (client) => {
    let lock;
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const [verb, ttl] = line.split(' ');
        if (verb === 'release') {
            console.log(await client.release(lock) ? 'released' : 'lost');
        } else {
            const granted = await client.acquire(Number(ttl), verb === 'wait');
            lock = granted || lock;
            console.log(granted ? 'held' : 'busy');
        }
    }
    process.exit();
};

// The promise of `action`, or `instead` if it fails with an error of this type.
exports.unless = (type, instead, action) => action.catch((error) => {
    if (error instanceof type)
        return instead;
    throw error;
});
