import { createAdmin, ParleyError } from '@parley/client/admin'
import { openMirror } from './database.ts'

const parley = createAdmin({
  url: process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080',
  apiKey: process.env['PARLEY_API_KEY'] ?? 'demo-api-key',
})
const file = process.env['MIRROR'] ?? 'mirror.sqlite'
const mirror = openMirror(file)

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

/** A cursor before everything: with it the feed begins at the oldest event that is kept, or says which that is. */
const beginning = '0-0'

async function follow(after: string): Promise<void> {
  console.log(`Mirroring into ${file}, from ${after} on`)
  for await (const event of parley.events({ after, signal: stop.signal })) {
    mirror.take(event)
    console.log(`${event.event} ${event.room ?? event.user ?? ''} ${event.cursor}`)
  }
}

try {
  await follow(mirror.cursor() ?? beginning)
} catch (error) {
  if (!(error instanceof ParleyError && error.code === 'CURSOR_GONE' && error.oldest !== undefined)) throw error
  console.log('Events before these are no longer kept: what happened then is missing here')
  await follow(error.oldest)
} finally {
  mirror.close()
}
