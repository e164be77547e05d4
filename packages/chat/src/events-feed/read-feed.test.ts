import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createLatestEvents } from './app-feed.ts'
import type { FeedPosition } from './cursor.ts'
import { readFeed } from './read-feed.ts'

const at = (seq: number): FeedPosition => ({ seqs: [seq], timeMS: seq })

test('events evicted from memory during a read of older ones are not skipped', async () => {
  const entry = (seq: number) => ({ stream: 0, seq, ...at(seq), event: 'room', json: `{"seq":${seq}}` })
  const memory = createLatestEvents(() => 25)
  memory.reset(at(3))
  const feed = {
    ...{ ready: Promise.resolve(), head: at(6), after: (position: FeedPosition) => memory.after(position), stop() {} },
    changed: () => Promise.resolve(),
    get from() {
      return memory.from
    },
  }
  let readings = 0
  const readOlder = async ({ after }: { after: FeedPosition }) => {
    readings++
    if (readings > 1) {
      const entries = [4, 5].filter((seq) => seq > (after.seqs[0] ?? 0)).map(entry)
      return { entries, position: at(5), isLast: false }
    }
    // These arrive after the end is reached; two are in memory, one is not.
    for (const seq of [4, 5, 6]) memory.add(entry(seq))
    return { entries: [], position: at(3), isLast: true }
  }
  const query = { after: at(1), limit: 10, types: undefined, waitMS: 0 }
  const { entries } = await readFeed(feed, query, new AbortController().signal, readOlder)
  assert.deepEqual(entries, [entry(4), entry(5)])
})

test("a caught-up reader continues from the time of the feed's head", async () => {
  const at = (timeMS: number) => ({ seqs: [6], timeMS })
  const feed = {
    ...{ ready: Promise.resolve(), from: at(1), head: at(9), after: () => [], stop() {} },
    changed: () => Promise.resolve(),
  }
  const query = { after: at(2), limit: 10, types: undefined, waitMS: 0 }
  const page = await readFeed(feed, query, new AbortController().signal, () => assert.fail('nothing is older'))
  assert.deepEqual(page, { entries: [], position: at(9) })
})
