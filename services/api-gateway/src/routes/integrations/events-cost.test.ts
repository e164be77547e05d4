import assert from 'node:assert/strict'
import { publishEvent } from '@parley/bus/events/publish'
import type { RoomEvent } from '@parley/contracts/socket/server-events'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

/** Nothing else uses this gateway's database: no message was sent, and no relay runs. */
describe('a caught-up reader of GET /admin/events', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  /** The commands that the database received, as `find apps`. */
  async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
    const entries = await recorded(gateway, work)
    return entries
      .filter(({ command: { profile }, ns }) => profile === undefined && !ns.endsWith('.system.profile'))
      .map(({ command, ns }) => `${Object.keys(command)[0]} ${ns.split('.')[1]}`)
  }
  const publish = (event: RoomEvent, n: number) =>
    publishEvent(gateway.chat.bus, {
      ...{ to: { app: gateway.app, room: 'room' }, event, json: `{"n":${n}}`, id: `${event} ${n}` },
    })
  async function poll(query: string): Promise<{ data: unknown[]; cursor: string }> {
    const { status, body } = await gateway.admin('GET', `/admin/events?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }

  test('costs MongoDB only its key lookups, regardless of other events', async () => {
    const { cursor } = await poll('')
    let polls = 0
    const commands = await commandsOf(async () => {
      const waiting = await fetch(`${gateway.url}/admin/events?types=chat%20message&after=${cursor}`, {
        headers: { 'im-api-key': gateway.apiKey, accept: 'text/event-stream' },
      })
      for (let n = 0; n < 100; n++) await publish('lastRead', n)
      // The polls share the stream's memory, so these events have woken the waiting reader.
      for (let [seen, after] = [0, cursor]; seen < 100; polls++) {
        const page = await poll(`types=lastRead&wait=20&after=${after}`)
        seen += page.data.length
        after = page.cursor
      }
      await Promise.all(Array.from({ length: 50 }, () => poll(`types=chat%20message&wait=1&after=${cursor}`)))
      await publish('chat message', 0)
      let text = ''
      for await (const part of waiting.body ?? []) {
        text += Buffer.from(part).toString()
        if (text.includes('"n":0')) break
      }
    })
    assert.deepEqual(new Set(commands), new Set(['find apps']))
    // One lookup at the start and one before events go out: for the stream, each page with events, and each empty poll.
    assert.ok(commands.length <= 2 + 2 * polls + 50, `${commands.length} commands, ${polls} polls`)
  })
})
