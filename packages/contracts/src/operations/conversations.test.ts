import assert from 'node:assert/strict'
import { test } from 'vitest'
import { z } from 'zod'
import { allOperations } from './all.ts'

/** Resources with texts that users wrote to each other, or with the files that they sent. */
const withTexts = new Set([
  'Message',
  'SentMessage',
  'Quote',
  'Report',
  'ScheduledMessage',
  'FailedWebhook',
  'FeedEvent',
  'File',
])
/** Rooms in answers to keys have no latest message, except that of inspectRoom, which operators do not get. */
const withoutLatest = new Set(['Room', 'AdminRoom'])
/** They answer with the text that the caller has just given, and quote no other message. */
const ofTheCaller = ['sendBatch', 'scheduleMessage']
/** Their schemas have texts, their results none: a decided report, jobs without outcomes, a room without messages. */
const withoutText = ['decideReport', 'listJobs', 'addMembers']

test('every operation that gives operators texts of conversations asks for a reason', () => {
  const texts = allOperations.filter(({ scope, result }) => scope !== undefined && hasTexts(result))
  assert.ok(texts.length > 15)
  const lacking = texts.filter(({ conversations }) => !conversations).map(({ id }) => id)
  assert.deepEqual(lacking.toSorted(), [...ofTheCaller, ...withoutText].toSorted())
})

interface Schema {
  id?: string
  $ref?: string
  $defs?: Record<string, Schema>
}

function hasTexts(result: z.ZodType): boolean {
  const root = z.toJSONSchema(result, { io: 'output', unrepresentable: 'any' }) as Schema
  const seen = new Set<string>()
  const search = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false
    const { id, $ref, $defs: _defs, ...fields } = part as Schema
    const name = id ?? $ref?.slice('#/$defs/'.length)
    if (name !== undefined && withTexts.has(name)) return true
    if (name !== undefined && (withoutLatest.has(name) || seen.has(name))) return false
    if (name !== undefined) seen.add(name)
    if ($ref !== undefined && name !== undefined) return search({ ...root.$defs?.[name], id: undefined })
    return Object.values(fields).some(search)
  }
  return search(root)
}
