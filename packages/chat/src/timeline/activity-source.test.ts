import assert from 'node:assert/strict'
import { test } from 'vitest'
import { activitySource } from './activity-source.ts'
import { mergeSources } from './merge-sources.ts'

test('pages have no gap or repeat when a node forgets its first entry in between', async () => {
  const closed = (device: string, atMS = 5) => ({ node: 'node', entry: { what: 'closed' as const, atMS, device } })
  const page = (devices: readonly ReturnType<typeof closed>[], cursor?: string) =>
    mergeSources([activitySource({ activity: [...devices], live: [], connected: [] }, () => true)], {
      ...{ sinceMS: 0, untilMS: 10, limit: 1, cursor },
    })
  let activity = [closed('first', 1), ...['a', 'b', 'c'].map((device) => closed(device))]
  const shown: string[] = []
  for (let cursor: string | undefined, isLast = false; !isLast; isLast = cursor === undefined) {
    const { records, ...rest } = await page(activity, cursor)
    shown.push(...records.map((record) => (record.of === 'activity' ? (record.activity.device ?? '') : record.of)))
    cursor = rest.cursor
    activity = activity.filter(({ entry }) => entry.device !== 'first')
  }
  assert.deepEqual(shown, ['c', 'b', 'a'])
})
