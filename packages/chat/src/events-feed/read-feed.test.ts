import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createLatestEvents } from './app-feed.ts'
import { readFeed } from './read-feed.ts'

test('events that leave memory during a read of older ones are read after them', async () => {
  const entry = (seq: number) => ({ seq, timeMS: seq, event: 'room', json: `{"seq":${seq}}` })
  const memory = createLatestEvents(() => 25)
  memory.reset({ seq: 3, timeMS: 3 })
  const feed = {
    ...{ ready: Promise.resolve(), head: { seq: 6, timeMS: 6 }, after: (seq: number) => memory.after(seq), stop() {} },
    changed: () => Promise.resolve(),
    get from() {
      return memory.from
    },
  }
  let readings = 0
  const readOlder = async ({ after }: { after: { seq: number } }) => {
    readings++
    if (readings > 1) {
      const entries = [4, 5].filter((seq) => seq > after.seq).map(entry)
      return { entries, place: { seq: 5, timeMS: 5 }, isLast: false }
    }
    // These arrive once the end is reached: two of them are in memory, and one is not.
    for (const seq of [4, 5, 6]) memory.add(entry(seq))
    return { entries: [], place: { seq: 3, timeMS: 3 }, isLast: true }
  }
  const query = { after: { seq: 1, timeMS: 1 }, limit: 10, types: undefined, waitMS: 0 }
  const { entries } = await readFeed(feed, query, new AbortController().signal, readOlder)
  assert.deepEqual(entries, [entry(4), entry(5)])
})

test("a caught-up reader continues from the time of the feed's head", async () => {
  const at = (timeMS: number) => ({ seq: 6, timeMS })
  const feed = {
    ...{ ready: Promise.resolve(), from: at(1), head: at(9), after: () => [], stop() {} },
    changed: () => Promise.resolve(),
  }
  const query = { after: at(2), limit: 10, types: undefined, waitMS: 0 }
  const page = await readFeed(feed, query, new AbortController().signal, () => assert.fail('nothing is older'))
  assert.deepEqual(page, { entries: [], place: at(9) })
})
