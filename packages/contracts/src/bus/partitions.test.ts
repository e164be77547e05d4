import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'vitest'
import { maxStreams, partitionCount, partitionOf, partitionsOfStreams, streamsOfPartitions } from './partitions.ts'

const all = Array.from({ length: partitionCount }, (_, partition) => partition)

test('every partition has one stream, and streams have the same number of them, but for one or two', () => {
  for (let count = 1; count <= maxStreams; count++) {
    const streams = partitionsOfStreams(count)
    assert.deepEqual(
      streams.flat().toSorted((one, other) => one - other),
      all,
    )
    const sizes = streams.map(({ length }) => length)
    assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 2, `${count}: ${sizes.join()}`)
  }
})

test('another stream takes partitions, and moves none between the others', () => {
  for (let count = 2; count <= maxStreams; count++) {
    const [before, after] = [streamsOfPartitions(count - 1), streamsOfPartitions(count)]
    for (const partition of all) assert.ok([before[partition], count - 1].includes(after[partition]))
  }
})

test('rooms of one app spread over all partitions', () => {
  const counts = all.map(() => 0)
  for (let n = 0; n < 6_400; n++) counts[partitionOf({ app: 'app', room: `room-${n}` })]!++
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 150, counts.join())
})

test('a partition is a number below the count, whatever the IDs are', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (app, user) => all.includes(partitionOf({ app, user }))))
})
