import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportOf } from '@parley/contracts/import-line'
import { test } from 'vitest'
import { linesOf } from './lines-of.ts'
import { readGoodLine, readLine } from './read-line.ts'

const atMS = 1_614_589_200_000
const message = { type: 'message', _id: 'm', room: 'r', sender: 'ann', message: 'Hi', messageType: 'text' }
const lineOf = (json: unknown) => ({
  number: 1,
  offset: 0,
  bytes: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
})
function read(json: unknown): ImportOf<'message'> {
  const result = readLine(lineOf(json))
  assert.ok('read' in result, JSON.stringify(result))
  assert.deepEqual(readGoodLine(lineOf(json)), result.read)
  return result.read as ImportOf<'message'>
}

test.each([
  ['milliseconds', atMS],
  ['seconds', atMS / 1_000],
  ['digits of milliseconds', String(atMS)],
  ['seconds with a fraction, as Slack has them', '1614589200.000200'],
  ['ISO-8601', '2021-03-01T09:00:00Z'],
  ['ISO-8601 with an offset', '2021-03-01T10:00:00+01:00'],
  ['Extended JSON, relaxed', { $date: '2021-03-01T09:00:00Z' }],
  ['Extended JSON, canonical', { $date: { $numberLong: String(atMS) } }],
  ['a long of Extended JSON', { $numberLong: String(atMS) }],
])('a time may be %s', (_form, createdAt) => {
  assert.equal(read({ ...message, createdAt }).createdAt, atMS)
})

test('an ObjectId is its digits, and null is as if left out', () => {
  const line = { ...message, _id: { $oid: '603cb3a0e4b0c1a2b3c4d5e6' }, createdAt: atMS, replyTo: null, mentions: null }
  const { _id, replyTo, mentions } = read(line)
  assert.deepEqual([_id, replyTo, mentions], ['603cb3a0e4b0c1a2b3c4d5e6', undefined, undefined])
})

test('the content of a message stays as it is, unless the line is Extended JSON', () => {
  const content = { n: { $numberLong: '5' }, gone: null }
  assert.deepEqual(read({ ...message, createdAt: atMS, message: content }).message, content)
  const extended = { ...message, createdAt: { $date: '2021-03-01T09:00:00Z' }, message: content }
  assert.deepEqual(read(extended).message, { n: 5, gone: null })
})

test('lines end with CRLF, follow a byte order mark, are blank, or are those of an array', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'))
  const [a, b, c] = ['a', 'b', 'c'].map((_id) => JSON.stringify({ ...message, _id, createdAt: atMS }))
  const forms = [
    `\uFEFF${a}\r\n\r\n  \n${b}\r\n${c}`,
    `[${a},\n${b},\n${c}]\n`,
    `[\n${a},\n${b},\n${c}\n]`,
    `[${a}\n,${b}\n,${c}]`,
  ]
  try {
    for (const text of forms) {
      const file = join(folder, 'export')
      writeFileSync(file, text)
      const ids: string[] = []
      for await (const lines of linesOf(file))
        for (const line of lines) ids.push((readGoodLine(line) as { _id: string })._id)
      assert.deepEqual(ids, ['a', 'b', 'c'], text)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([['{"type": "user", '], ['[{"a": 1}, {"b": 2}]'], ['12']])('%s is refused with what to do', (text) => {
  const result = readLine(lineOf(text))
  assert.ok('problems' in result)
  assert.match(result.problems[0]?.reason ?? '', /jq -c|expected/)
})
