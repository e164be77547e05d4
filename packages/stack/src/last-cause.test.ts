import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { lastCause } from './launch.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-cause-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

test('a full disk is named first, also if an error before the last one told it', async () => {
  const file = join(dir, 'full')
  const errors = [
    '{"s":"E","attr":{"error":28,"message":"No space left on device"}}',
    '{"s":"F","msg":"Got signal: 6"}',
  ]
  await writeFile(file, errors.join('\n'))
  assert.equal(lastCause(file), 'no space left on the disk: {"s":"F","msg":"Got signal: 6"}')
})

for (const [server, cause, ...later] of [
  ['mongod', '{"t":"x","s":"F","c":"STORAGE","msg":"No space left on device"}', '{"t":"x","s":"I","msg":"Exiting"}'],
  ['nats-server', "[7] 2026/01/01 00:00:00.000000 [FTL] Can't start JetStream", '[7] [INF] Exiting'],
  ['redis-server', "7:M 01 Jan 2026 00:00:00.000 # Fatal error, can't open config file", '7:M 01 Jan * bye'],
  ['one that logged no error', '[7] [INF] Exiting'],
] as [string, string, ...string[]][]) {
  test(`the cause of the exit of ${server} is taken from its log`, async () => {
    const file = join(dir, 'log')
    await writeFile(file, ['an earlier line', cause, ...later, ''].join('\n'))
    assert.equal(lastCause(file), cause)
  })
}
