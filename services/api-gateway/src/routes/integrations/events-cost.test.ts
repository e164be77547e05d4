import assert from 'node:assert/strict'
import { publishEvent } from '@parley/bus/events/publish'
import type { RoomEvent } from '@parley/contracts/socket/server-events'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

/** Nothing else works on this gateway's database: no messages were sent, and no relay runs. */
describe('a reader of GET /admin/events that is up to date', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  /** The commands that the database got, as `find apps`. */
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

  test('costs MongoDB nothing but the look at its key, however often something happens that it does not want', async () => {
    const { cursor } = await poll('')
    let polls = 0
    const commands = await commandsOf(async () => {
      const waiting = await fetch(`${gateway.url}/admin/events?types=chat%20message&after=${cursor}`, {
        headers: { 'im-api-key': gateway.apiKey, accept: 'text/event-stream' },
      })
      for (let n = 0; n < 100; n++) await publish('lastRead', n)
      // Served by the same memory, so the one that waits has been woken by them.
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
    // Of the stream, of each page with events, and of those who polled in vain: at its begin, and before events go out.
    assert.ok(commands.length <= 2 + 2 * polls + 50, `${commands.length} commands, ${polls} polls`)
  })
})
