// SPDX-License-Identifier: MIT
// redlock_universal.js LOCK URL... - the npm module redlock-universal: its lock on one server, its Redlock on several
'use strict';
const { IoredisAdapter, LockAcquisitionError, createLock, createRedlock } = require('redlock-universal');
const { name, servers, pauses, serve, unless } = require('./driver');

const adapters = servers.map((server) => new IoredisAdapter(server));

function lockWith(ttl, waits) {
    const options = {
        key: name, ttl, retryDelay: pauses.retryDelay, retryAttempts: waits ? Number.MAX_SAFE_INTEGER : 0,
    };
    return adapters.length > 1 ? createRedlock({ ...options, adapters })
        : createLock({ ...options, adapter: adapters[0] });
}

serve({
    async acquire(ttl, waits) {
        const lock = lockWith(ttl, waits);
        const handle = await unless(LockAcquisitionError, null, lock.acquire());
        return handle && { lock, handle };
    },
    release: ({ lock, handle }) => lock.release(handle),
});
