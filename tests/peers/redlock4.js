// SPDX-License-Identifier: MIT
// redlock4.js LOCK URL... - the npm module redlock, version 4
'use strict';
const Redlock = require('redlock4');
const { name, servers, pauses, serve, unless } = require('./driver');

const redlock = new Redlock(servers, { ...pauses, retryCount: 0 });

serve({
    acquire: (ttl, waits) => unless(Redlock.LockError, null,
        redlock.acquireWithOptions(name, ttl, waits ? { retryCount: -1 } : {})),
    release: (lock) => unless(Redlock.LockError, false, lock.unlock().then(() => true)),
});
