import { createServer } from 'node:http'
import { join } from 'node:path'
import type { createClient } from '@parley/client'
import type { createCache } from '@parley/client/cache'
import { wholeNumber } from '@parley/local/whole-number'
import { listenOnLoopback } from '@parley/stack/loopback'
import { Command } from 'commander'
import { build } from 'vite'
import { startChromium } from './chromium.ts'

const options = new Command('npm run bench:start --')
  .description(
    `Measures a cold start of @parley/client in Chromium, offline: from createClient() to the rooms and the messages of an open one, from
IndexedDB. Goal: a median under 100 ms. Exit code 1 if it is missed.`,
  )
  .option('--rooms <number>', 'cached rooms', wholeNumber(1, 1_000), 50)
  .option('--messages <number>', 'cached messages of each', wholeNumber(1, 100), 100)
  .option('--starts <number>', 'how often it starts', wholeNumber(1, 1_000), 20)
  .parse()
  .opts<{ rooms: number; messages: number; starts: number }>()
const wantedMS = 100

const server = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html>'),
)
const port = await listenOnLoopback(server)
const browser = await startChromium('browser')
try {
  const page = await browser.newPage()
  const script = { content: await bundled(), type: 'module' }
  await page.goto(`http://127.0.0.1:${port}`)
  await page.addScriptTag(script)
  await page.evaluate(fill, options)
  const took: number[] = []
  for (let n = 0; n < options.starts; n++) {
    await page.reload()
    await page.addScriptTag(script)
    took.push(await page.evaluate(start, options))
  }
  took.sort((a, b) => a - b)
  const [medianMS = 0, worstMS = 0] = [took[Math.floor(took.length / 2)], took.at(-1)]
  console.log(
    `rooms and messages after: median ${medianMS.toFixed(1)} ms, worst ${worstMS.toFixed(1)} ms of ${took.length}`,
  )
  const isReached = medianMS < wantedMS
  console.log(`goal: a median under ${wantedMS} ms; ${isReached ? 'reached' : 'missed'}`)
  process.exitCode = isReached ? 0 : 1
} finally {
  await browser.close()
  server.close()
}

interface Loaded {
  createClient: typeof createClient
  createCache: typeof createCache
}

/** The client as a page has it, at `window.parley`. */
async function bundled(): Promise<string> {
  const entry = 'virtual:bench-start'
  const made = await build({
    ...{ configFile: false, logLevel: 'warn', root: join(import.meta.dirname, '..') },
    plugins: [
      {
        name: 'bench-start',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry
            ? `import { createClient } from '@parley/client'
               import { createCache } from '@parley/client/cache'
               window.parley = { createClient, createCache }`
            : undefined,
      },
    ],
    build: { write: false, rollupOptions: { input: entry } },
  })
  const [output] = [made].flat()
  const chunk = output && 'output' in output ? output.output[0] : undefined
  if (chunk?.type !== 'chunk') throw new Error('no bundle')
  return chunk.code
}

/** As a client that was online has left it. */
async function fill({ rooms, messages }: { rooms: number; messages: number }): Promise<void> {
  const { parley } = window as unknown as { parley: Loaded }
  const cache = parley.createCache()
  const user = { _id: 'alice', nickname: 'Alice' } as never
  const ids = Array.from({ length: rooms }, (_, n) => `room-${n}`)
  const list = ids.map((_id) => ({ _id, name: `The name of ${_id}`, roomType: 'group', unread: 2, pref: {} }) as never)
  await cache.write({ user, clientKey: 'key', since: Date.now(), rooms: list })
  for (const room of ids) {
    const data = Array.from({ length: messages }, (_, i) => ({
      ...{ _id: `${room}-${i}`, room, seq: i + 1, messageType: 'text', createdAtMS: i, updatedAtMS: i },
      ...{ message: `message ${i} ${'of some words '.repeat(5)}`, sender: { _id: 'bob', nickname: 'Bob' } },
      ...{ reactions: [], reactionCount: 0 },
    }))
    await cache.writeRoom(room, { data: data.toReversed() as never, userDeletedIDs: [], latestSeq: messages })
  }
}

/** @returns the milliseconds until the rooms and the messages of one are there */
async function start({ rooms, messages }: { rooms: number; messages: number }): Promise<number> {
  const { parley } = window as unknown as { parley: Loaded }
  const startedMS = performance.now()
  const unreachable = { url: 'http://127.0.0.1:9', token: 'token', clientKey: 'key' }
  const client = parley.createClient({ ...unreachable, cache: parley.createCache() })
  const room = client.room('room-0')
  await room.open()
  const tookMS = performance.now() - startedMS
  const found = [client.rooms.get().length, room.messages.get().length]
  if (found.join() !== [rooms, messages].join()) throw new Error(`not all is there: ${found.join()}`)
  client.close()
  return tookMS
}
