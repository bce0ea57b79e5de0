// SPDX-License-Identifier: MIT
// drive.mjs PEER PORT... - a lock of an npm package over ioredis, for `make bench`. bench.py describes the protocol.
// PEER: redlock4, redlock5, redlock-universal or sesamecare. The packages are looked for beside this file.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const require = createRequire(import.meta.url)
const { Redis } = require('ioredis')
const TTL_MS = 30000

// Each gives open(servers, key, locks, waits): { acquire(i), release(i) }. Where it waits it does so as by default.
function classOf(Redlock, acquire, release) {
  return (servers, keys, waits) => {
    const redlock = new Redlock(servers, waits ? {} : { retryCount: 0 })
    redlock.on('error', () => {})
    const held = []
    return {
      acquire: async (i) => { held[i] = await acquire(redlock, keys[i]) },
      release: (i) => release(held[i]),
    }
  }
}
const peers = {
  redlock4: () => classOf(require('redlock4'), (r, key) => r.lock(key, TTL_MS), (lock) => lock.unlock()),
  redlock5: () => classOf(require('redlock5').default, (r, key) => r.acquire([key], TTL_MS), (lock) => lock.release()),
  sesamecare: () => classOf(require('@sesamecare-oss/redlock').Redlock, (r, key) => r.acquire([key], TTL_MS),
    (lock) => lock.release()),
  'redlock-universal': () => (servers, keys, waits) => {
    const { createLock, createRedlock, IoredisAdapter } = require('redlock-universal')
    const adapters = servers.map((server) => new IoredisAdapter(server))
    const more = { ttl: TTL_MS, ...(waits ? {} : { retryAttempts: 0 }) }
    const locks = keys.map((key) => adapters.length === 1
      ? createLock({ adapter: adapters[0], key, ...more }) : createRedlock({ adapters, key, ...more }))
    const held = []
    return {
      acquire: async (i) => { held[i] = await locks[i].acquire() },
      release: (i) => locks[i].release(held[i]),
    }
  },
}

const [peer, ...ports] = process.argv.slice(2)
const make = peers[peer]()
const keysOf = (key, n) => Array.from({ length: n }, (_, i) => i === 0 ? key : `${key}:${i}`)

async function open(key, locks, waits) {
  const servers = ports.map((port) => new Redis(Number(port), '127.0.0.1'))
  for (const server of servers) server.on('error', () => {})
  const client = make(servers, keysOf(key, locks), waits)
  const attempt = async (what, i) => {
    try {
      await client[what](i)
      return true
    } catch {
      return false
    }
  }
  return {
    acquire: (i) => attempt('acquire', i),
    release: (i) => attempt('release', i),
    close: () => servers.forEach((server) => server.disconnect()),
  }
}

const cpuUs = () => { const { user, system } = process.cpuUsage(); return user + system }
const wallMs = () => performance.timeOrigin + performance.now()
const nowUs = () => performance.now() * 1e3
const quantile = (sorted, q) => sorted[Math.floor(sorted.length * q)]

async function run(client, cycles, ms) {
  const took = new Float64Array(cycles)
  let n = 0
  let failed = 0
  const cpu = cpuUs()
  const start = nowUs()
  let at = start
  while (n < cycles && at - start < ms * 1e3) {
    const begun = at
    if (!(await client.acquire(0)) || !(await client.release(0))) failed++
    at = nowUs()
    took[n++] = at - begun
  }
  const used = cpuUs() - cpu
  const sorted = took.subarray(0, n).sort()
  return { cycles: n, failed, cpu_us: used, wall_us: at - start, p50_us: quantile(sorted, 0.5), p99_us: quantile(sorted, 0.99),
    max_us: sorted[n - 1] }
}

async function runLocks(client, count) {
  let failed = 0
  const cpu = cpuUs()
  const start = nowUs()
  for (let i = 0; i < count; i++) failed += !(await client.acquire(i))
  const middle = nowUs()
  for (let i = 0; i < count; i++) failed += !(await client.release(i))
  return { locks: count, failed, acquire_us: middle - start, release_us: nowUs() - middle, cpu_us: cpuUs() - cpu }
}

// Each waiter has connections of its own.
async function waitAndHold(key, holdUs, startMs, endMs) {
  const client = await open(key, 1, true)
  const result = { count: 0, failed: 0, waits: [] }
  while (wallMs() < endMs) {
    const begun = wallMs()
    let acquired
    while (!(acquired = await client.acquire(0)) && wallMs() < endMs) result.failed++
    const now = wallMs()
    if (now >= startMs && begun < endMs) result.waits.push(Math.min(now, endMs) - begun)
    if (!acquired) break
    if (now >= startMs && now < endMs) result.count++
    await sleep(holdUs / 1e3)
    await client.release(0)
    await sleep(Math.random() * 2 * holdUs / 1e3)
  }
  client.close()
  return result
}

async function contend(key, waiters, holdUs, startMs, endMs) {
  const cpu = cpuUs()
  const results = await Promise.all(Array.from({ length: waiters }, () => waitAndHold(key, holdUs, startMs, endMs)))
  const waits = results.flatMap((r) => r.waits).sort((a, b) => a - b)
  const sum = results.reduce((n, r) => n + r.count, 0)
  const squares = results.reduce((n, r) => n + r.count ** 2, 0)
  return { acquired: sum, failed: results.reduce((n, r) => n + r.failed, 0), jain: squares ? sum ** 2 / waiters / squares : 0,
    cpu_us: cpuUs() - cpu, p50_ms: quantile(waits, 0.5) ?? 0, p99_ms: quantile(waits, 0.99) ?? 0, longest_ms: waits.at(-1) ?? 0 }
}

let client
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, key, ...rest] = line.split(' ')
  const numbers = rest.map(Number)
  let answer
  if (verb === 'open') {
    client = await open(key, numbers[0], false)
    answer = {}
  } else if (verb === 'run') {
    answer = await run(client, Number(key), numbers[0])
  } else if (verb === 'locks') {
    answer = await runLocks(client, Number(key))
  } else if (verb === 'contend') {
    answer = await contend(key, ...numbers)
  } else {
    process.exit(1)
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
process.exit(0)
