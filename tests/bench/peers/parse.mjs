// SPDX-License-Identifier: MIT
// parse.mjs - nanoseconds per reply of ioredis' parser, for `make bench`; the streams are those of bench_resp.c.
// Prints a JSON object: name to nanoseconds.
import { createRequire } from 'node:module'

const Parser = createRequire(import.meta.url)('redis-parser')
const FEED = 16384
const ROUNDS = 31
const token = '0123456789abcdef0123456789abcdef01234567'
const bulk = `$40\r\n${token}\r\n`
const replies = {
  ok: '+OK\r\n',
  int: ':1\r\n',
  nil: '$-1\r\n',
  bulk40: bulk,
  array100: `*100\r\n${bulk.repeat(100)}`,
  bulk16k: `$16384\r\n${'x'.repeat(16384)}\r\n`,
}

function measure(reply) {
  const count = Math.floor((1 << 20) / reply.length)
  const stream = Buffer.from(reply.repeat(count))
  const pieces = []
  for (let at = 0; at < stream.length; at += FEED) pieces.push(stream.subarray(at, at + FEED))
  const took = []
  for (let round = 0; round < ROUNDS; round++) {
    let n = 0
    const parser = new Parser({ returnReply: () => { n++ }, returnError: () => {}, returnFatalError: () => {} })
    const start = performance.now()
    for (const piece of pieces) parser.execute(piece)
    took.push((performance.now() - start) * 1e6 / count)
    if (n !== count) throw new Error(`${n} replies of ${count}`)
  }
  return took.sort((a, b) => a - b)[ROUNDS >> 1]
}

console.log(JSON.stringify(Object.fromEntries(Object.entries(replies).map(([name, reply]) => [name, measure(reply)]))))
