import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BusyRooms } from '@parley/chat/messages/accepting/busy-rooms'
import { key } from '@parley/db/keys'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import type { DyingWriter } from '../../../test-dying-writer.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../../../test-gateway.ts'
import { until } from '../../../test-until.ts'
import { assertWhole, history, type Sent } from './test-whole-room.ts'

/** However few messages they have. */
const allBusy: BusyRooms = { saw: () => undefined, has: () => true }

describe('a room that several gateways send much to', () => {
  let gateways: TestGateway[]
  /** It appends all that it sends itself. */
  let alone: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    const gateway = await startTestGateway({ busyRooms: allBusy })
    gateways = [gateway, await gateway.another({ busyRooms: allBusy }), await gateway.another({ busyRooms: allBusy })]
    alone = await gateway.another({ isAlone: true })
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    await agree()
  })
  afterAll(async () => {
    await alone?.stop()
    for (const gateway of gateways?.toReversed() ?? []) await gateway.stop()
  })

  const first = () => gateways[0] as TestGateway
  const keyOf = (room: string) => key(first().app, room)
  /** Who writes the room, in the view of each gateway. */
  const writersOf = (room: string) =>
    new Set(gateways.map((gateway) => gateway.writers.writerOf(keyOf(room)) ?? gateway.name))
  /** All gateways have heard of all. */
  async function agree(): Promise<void> {
    const rooms = Array.from({ length: 50 }, (_, i) => `room ${i}`)
    await until('the gateways agree who writes', () => {
      const writers = rooms.map(writersOf)
      const all = new Set(writers.flatMap((own) => [...own]))
      return writers.every(({ size }) => size === 1) && gateways.every(({ name }) => all.has(name))
    })
  }
  const send = (via: TestGateway, room: string, message: string, more: object = {}) =>
    via.admin('POST', '/messages', { room, sender: 'bob', message, messageType: 'text', push: false, ...more })
  async function sent(...about: Parameters<typeof send>): Promise<Sent> {
    const { status, body } = await send(...about)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as Sent
  }
  const placed = ({ outcomes }: TestGateway) => outcomes.filter((outcome) => typeof outcome !== 'string').length
  /** A room whose writer is as wanted, of which the gateway knows that others send there. */
  async function sharedRoom(gateway: TestGateway, isWanted: (writer: string) => boolean): Promise<string> {
    for (;;) {
      const room = await first().newRoom([alice, bob])
      if (!isWanted(gateway.writers.writerOf(keyOf(room)) ?? gateway.name)) continue
      const before = gateway.outcomes.length
      while (gateway.outcomes.length === before) for (const via of [gateway, alone]) await sent(via, room, 'hello')
      return room
    }
  }
  const written = (gateway: TestGateway) => sharedRoom(gateway, (writer) => writer !== gateway.name)

  test('is written by one of them: no hole in seq, each message as it was acknowledged, in the order of its time', async () => {
    const room = await first().newRoom([alice, bob])
    const texts = Array.from({ length: 400 }, (_, i) => `$seq ${i}`)
    const vias = [...gateways, alone]
    const acknowledged: Sent[] = []
    for (let i = 0; i < texts.length; i += 40) {
      const some = texts.slice(i, i + 40)
      acknowledged.push(...(await Promise.all(some.map((text, n) => sent(vias[n % 4] as TestGateway, room, text)))))
    }
    const asked = gateways.filter(({ name }) => !writersOf(room).has(name))
    assert.equal(asked.length, 2)
    for (const gateway of asked) assert.ok(placed(gateway) > 0, 'it asked the writer, which appended')
    await assertWhole(room, acknowledged, { texts, gateways: vias, reader: alice, sender: bob })
  })

  test('has an event of each message, as it was acknowledged', async () => {
    const room = await written(first())
    const heard = await first().hear()
    const before = placed(first())
    const one = await sent(first(), room, 'once')
    assert.ok(placed(first()) > before)
    const { payload } = await heard.next('chat message', ({ _id }: { _id: string }) => _id === one._id)
    const { seq, createdAtMS, message, sender } = payload as Sent & { sender: { _id: string } }
    assert.deepEqual([seq, createdAtMS, message, sender._id], [one.seq, one.createdAtMS, 'once', 'bob'])
  })

  test('takes repeated and large messages beside the others, each once', async () => {
    const room = await written(first())
    const once = { clientMessageID: `once in ${room}` }
    const sends = [...gateways, alone].flatMap((via) => [
      send(via, room, 'x'.repeat(20_000)),
      send(via, room, 'once', once),
      send(via, room, 'small'),
    ])
    for (const { status, body } of await Promise.all(sends)) assert.equal(status, 200, JSON.stringify(body))
    const messages = await history(alice, room)
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map((_, i) => i + 1),
    )
    const count = (is: (text: string) => boolean) => messages.filter(({ message }) => is(message)).length
    assert.deepEqual(
      [count((text) => text === 'once'), count((text) => text.length === 20_000), count((text) => text === 'small')],
      [1, 4, 4],
    )
  })

  test('whose tail is full takes a message all the same, and nobody waits for it', async () => {
    const room = await written(first())
    for (const { chat } of [...gateways, alone]) await chat.settler.drained()
    await first().chat.db.rooms.updateOne({ _id: keyOf(room) }, { $set: { tailBytes: 2 * 1024 * 1024 } })
    const { seq } = await sent(first(), room, 'beside a full tail')
    assert.equal(first().outcomes.at(-1), 'notWritten')
    assert.deepEqual(
      (await history(alice, room)).map((message) => message.seq),
      Array.from({ length: seq }, (_, i) => i + 1),
    )
  })

  test('refuses at once who was banned through another gateway, and masks what was censored through another', async () => {
    const room = await written(first())
    const asking = gateways.filter(({ name }) => name !== [...writersOf(room)][0])
    assert.equal((await alone.admin('POST', '/config', { censorship: { keywords: ['darn'] } })).status, 200)
    for (const via of asking) assert.equal((await sent(via, room, 'darn')).message, '****')
    assert.equal((await alone.admin('POST', `/blockStatus/room/${room}/bob`)).status, 200)
    for (const via of [...asking, ...gateways]) {
      const { status, body } = await send(via, room, 'no')
      assert.deepEqual([status, body.error?.code], [403, 'USER_BLOCKED'])
    }
    assert.equal((await history(alice, room)).at(-1)?.message, '****')
  })

  describe('whose writer', () => {
    async function startWriter(
      about: Pick<DyingWriter, 'point' | 'signal'>,
    ): Promise<{ child: ChildProcess; name: string }> {
      const { mongoUrl, natsUrl } = await testServers()
      const name = `writer ${about.point} ${about.signal}`
      const work: DyingWriter = {
        mongoUrl: withDatabase(mongoUrl, first().chat.db.mongo.databaseName),
        ...{ natsUrl, name, ...about },
      }
      const child = fork(join(import.meta.dirname, '../../../test-dying-writer.ts'), [JSON.stringify(work)])
      onTestFinished(async () => {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL')
          await once(child, 'exit')
        }
        await agree()
      })
      return { child, name }
    }

    for (const point of ['asked', 'appended'] as const) {
      const when = point === 'asked' ? 'before it appends' : 'before it replies'

      test(`is killed (-9) ${when} has each message once, without a hole`, async () => {
        const { child, name } = await startWriter({ point, signal: 'SIGKILL' })
        const exited = once(child, 'exit')
        const room = await sharedRoom(first(), (writer) => writer === name)
        assert.deepEqual(await exited, [null, 'SIGKILL'])
        await holdsOnce(room)
      })

      test(`stands still ${when} has each message once, without a hole, also when it goes on`, async () => {
        const { child, name } = await startWriter({ point, signal: 'SIGSTOP' })
        const room = await sharedRoom(first(), (writer) => writer === name)
        await sent(first(), room, 'goes on without it')
        const late = once(child, 'message')
        child.kill('SIGCONT')
        const [outcome] = await late
        if (point === 'asked') assert.equal(outcome, 'notWritten')
        else assert.equal(typeof outcome, 'object')
        await holdsOnce(room)
      })
    }

    /** All that was sent to the room until now, and one more, is there once. */
    async function holdsOnce(room: string): Promise<void> {
      assert.equal(first().outcomes.at(-1), 'unknown', 'the writer did not reply')
      const last = await sent(first(), room, 'last')
      for (const { chat } of [first(), alone]) await chat.settler.drained()
      const messages = await history(alice, room)
      assert.deepEqual(
        messages.map(({ seq }) => seq),
        messages.map((_, i) => i + 1),
      )
      assert.equal(new Set(messages.map(({ _id }) => _id)).size, messages.length)
      assert.deepEqual([messages.at(-1)?._id, messages.at(-1)?.seq], [last._id, last.seq])
      const unread = (await alice.call('GET', `/rooms/${room}`)).body.result.unread
      assert.equal(unread, messages.length)
    }
  })
})
