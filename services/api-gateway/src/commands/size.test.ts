import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { sizeCommand } from './size-command.ts'
import { type Expected, type Plan, planFor } from './size-plan.ts'
import { units } from './size-units.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8')
const number = (value: number) => value.toLocaleString('en')
const spread = ([least, max]: readonly [number, number]) => `${number(least)} to ${number(max)}`

/** Runs the command; returns its output, or the sentence of its refusal. */
function size(...args: string[]): { printed: string; refused: string } {
  let [printed, refused] = ['', '']
  const command = sizeCommand((text) => {
    printed += text
  })
  command.exitOverride().configureOutput({
    writeErr: (text) => {
      refused += text
    },
  })
  try {
    command.parse(args, { from: 'user' })
  } catch {
    assert.notEqual(refused, '')
  }
  return { printed, refused }
}
const asked = ['--users', '2e6', '--daily-active', '0.3', '--messages', '20', '--peak', '0.1']
const expected: Expected = {
  users: 2e6,
  dailyActive: 0.3,
  messages: 20,
  peak: 0.1,
  connected: 0.1,
  rooms: 10,
  members: 10,
  days: 365,
  perPod: 10_000,
}

describe('parley size', () => {
  test('computes from the units listed in docs/scaling.md', () => {
    const { gateway, realtime, push, mongo, nats, million, statistics } = units
    for (const row of [
      `| gateway, one core | ${spread(gateway.sendsPerSecond)} sends a second (${spread(gateway.sendMicros)} µs of CPU each) |`,
      `| realtime node, one core | ${realtime.deliveriesPerSecond / 1e6} million deliveries a second in bursts (${spread(realtime.deliveryMicros)} µs of CPU each)`,
      `| realtime node, memory | ${realtime.connectionKiB} KiB for an idle authenticated connection`,
      `| realtime node, reconnects | ${spread(realtime.reconnectMicros)} µs of CPU for each client that comes back`,
      `| push service | ${number(push.pushesPerSecond)} pushes a second`,
      `| MongoDB, one core | ${spread(mongo.sendsPerSecond)} sends a second (${spread(mongo.sendMicros)} µs each`,
      `| NATS, one core | ${spread(nats.eventsPerSecond)} events a second (${spread(nats.eventMicros)} µs each`,
      `| users, each with a token | ${million.users.mongo} GB | ${million.users.index} GB | |`,
      `| rooms of ten members | ${million.rooms.mongo} GB | ${million.rooms.index} GB | |`,
      `| messages of 200 characters | ${million.messages.mongo} GB | ${million.messages.index} GB | ${million.messages.nats} GB |`,
      `(kept for ${statistics.hoursKept} days) and each day (${statistics.daysKept} days)`,
      `${statistics.bytes} bytes each with its indexes`,
      `kept for ${statistics.minutesKept}, ${statistics.hoursKept} and ${statistics.daysKept} days`,
    ]) {
      assert.ok(page.includes(row), row)
    }
  })

  test("matches that page's plan for 10³, 10⁵ and 10⁷ users", () => {
    for (const [users, connected, sends] of [
      [1e3, 100, '1 a second'],
      [1e5, 1e4, '60 a second'],
      [1e7, 1e6, '5,600 a second'],
    ] as const) {
      const { load } = planFor({ ...expected, users, dailyActive: 1 })
      assert.equal(load.connections, connected)
      assert.ok(page.includes(sends))
      const said = Number(sends.replace(/[^\d]/g, ''))
      assert.ok(Math.abs(Math.ceil(load.sendsPerSecond) - said) <= said * 0.1, `${load.sendsPerSecond}`)
    }
    // "4 billion documents of days and 1.2 billion of hours, 550 GB": for the users alone.
    const { bytes, hoursKept, daysKept } = units.statistics
    assert.equal(Math.round((1e7 * (3 * hoursKept + daysKept) * bytes) / 1e9), 546)
  })

  test('prints pods, CPU, memory, disks, NATS and connections for two million users', () => {
    const { printed } = size(...asked)
    for (const line of [
      /^12,000,000 messages a day, 334 a second in the busiest hour; 200,000 connections$/m,
      /^api-gateway +2 pods +1 cores +512 MiB$/m,
      /^realtime +20 pods +0\.5 cores +384 MiB$/m,
      /^push +3 pods/m,
      /^MongoDB +\d+ servers +\d+ cores +\d+ GB +[\d,]+ GB disk$/m,
      /^NATS +3 servers +1 cores +2 GB +42 GB disk$/m,
      /PARLEY_STREAM_MAX_BYTES=28000000000, 72 hours/,
      /^A year of messages adds 701 GB to each copy of the database\.$/m,
    ]) {
      assert.match(printed, line)
    }
  })

  test('prints the same as JSON, with the assumptions', () => {
    const plan = JSON.parse(size(...asked, '--json').printed) as Plan & { expected: Expected }
    assert.deepEqual({ ...plan.expected, connected: Math.round(plan.expected.connected * 100) / 100 }, expected)
    assert.equal(plan.load.connections, 200_000)
    assert.equal(plan.services.realtime.pods, 20)
    assert.deepEqual(Object.keys(plan.servers), ['mongo', 'nats', 'redis'])
  })

  test('larger inputs need more, and the plan marks where measurements end', () => {
    const small = planFor(expected)
    const large = planFor({ ...expected, users: 5e7, messages: 200 })
    for (const part of ['api-gateway', 'realtime', 'push'] as const) {
      assert.ok(large.services[part].pods > small.services[part].pods, part)
    }
    assert.ok(large.servers.mongo.shards > small.servers.mongo.shards)
    assert.match(large.notes.join('\n'), /shards[^]*One stream of NATS/)
    const none = planFor({ ...expected, users: 1_000, days: 30 })
    assert.equal(none.servers.mongo.shards, 1)
    assert.equal(none.notes.length, 1)
    assert.deepEqual(
      Object.values(none.services).map(({ pods }) => pods),
      [2, 2, 2, 2],
    )
  })

  test.each([
    [['--users', 'many'], /--users <number>.*'many' is invalid.*from 1 to 1000000000/],
    [['--users', '1e6', '--daily-active', '30'], /--daily-active <share>.*from 0 to 1/],
    [['--users', '1e6', '--peak', '0'], /--peak <share>.*from 0\.042 to 1/],
    [['--users', '1e6', '--members', ''], /--members <number>.*from 2 to 100000/],
    [[], /required option '--users <number>' not specified/],
  ])('names what is wrong with %j', (args, sentence) => {
    const { printed, refused } = size(...args)
    assert.match(refused, sentence)
    assert.equal(printed, '')
  })
})
