import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { hostileBodies } from './bodies.ts'
import { hostileForgeries } from './forged.ts'
import { hostileRequests } from './requests.ts'
import { hostileShares } from './shares.ts'
import { hostileSockets } from './sockets.ts'
import { type Scene, startScene } from './test-scene.ts'

/** Seconds to repeat the whole table, set by `npm run hostile`. By default it runs once. */
const seconds = Number(process.env['PARLEY_HOSTILE_SECONDS'] ?? 0)
const table = { hostileRequests, hostileForgeries, hostileBodies, hostileSockets, hostileShares }
/**
 * The memory that one round may retain. A leak in repeated attacks would exceed it many times. V8's young generation alone can
 * grow by 192 MiB (--max-semi-space-size=64).
 */
const allowedMiB = { gateway: 300, node: 150 }

describe('hostile input', { timeout: 300_000 + seconds * 1_000 }, () => {
  let scene: Scene
  let before: { gateway: number; node: number }

  beforeAll(async () => {
    scene = await startScene()
    before = { gateway: scene.memory(scene.gateway), node: scene.memory(scene.node) }
  })
  afterAll(() => scene.stop())

  for (const [kind, inputs] of Object.entries(table)) {
    describe(kind, () => {
      for (const { name, changes = [], isSilent = false, attack } of inputs) {
        test(name, { concurrent: isSilent }, async () => {
          const stored = await scene.stored(changes)
          await scene.witness.during(() => attack(scene))
          const after = await scene.stored(changes)
          const changed = Object.keys({ ...stored, ...after }).filter((name) => stored[name] !== after[name])
          assert.deepEqual(changed, [], `nothing was stored, but in ${changed.join(', ')}`)
        })
      }
    })
  }

  test('keeps no message from the witness', () => scene.deliver())

  test('can be repeated for the requested time without leaking memory', async () => {
    const deadline = Date.now() + seconds * 1_000
    let rounds = 0
    while (Date.now() < deadline) {
      for (const { attack } of Object.values(table).flat()) await scene.witness.during(() => attack(scene))
      rounds++
    }
    if (seconds > 0) console.log(`${rounds} rounds of ${Object.values(table).flat().length} inputs`)
    for (const name of ['gateway', 'node'] as const) {
      const grown = scene.memory(scene[name]) - before[name]
      assert.ok(grown < allowedMiB[name], `${name}: ${grown.toFixed(0)} MiB more than at first`)
    }
  })
})
