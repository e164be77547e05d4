import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clock } from '@parley/async/clock'
import type { ImportOf } from '@parley/contracts/import-line'
import { afterAll, describe, test } from 'vitest'
import { linesOf } from './lines-of.ts'
import { readGoodLine, readLine } from './read-line.ts'

const atMS = 1_614_589_200_000
const message = { type: 'message', _id: 'm', room: 'r', sender: 'ann', message: 'Hi', messageType: 'text' }
const lineOf = (json: unknown) => ({
  number: 1,
  index: 0,
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
  ['seconds with a fraction, as in Slack', '1614589200.000200'],
  ['ISO-8601', '2021-03-01T09:00:00Z'],
  ['ISO-8601 with an offset', '2021-03-01T10:00:00+01:00'],
  ['Extended JSON, relaxed', { $date: '2021-03-01T09:00:00Z' }],
  ['Extended JSON, canonical', { $date: { $numberLong: String(atMS) } }],
  ['a long of Extended JSON', { $numberLong: String(atMS) }],
])('a time may be %s', (_form, createdAt) => {
  assert.equal(read({ ...message, createdAt }).createdAt, atMS)
})

test('an ObjectId becomes its digits, and null counts as absent', () => {
  const line = { ...message, _id: { $oid: '603cb3a0e4b0c1a2b3c4d5e6' }, createdAt: atMS, replyTo: null, mentions: null }
  const { _id, replyTo, mentions } = read(line)
  assert.deepEqual([_id, replyTo, mentions], ['603cb3a0e4b0c1a2b3c4d5e6', undefined, undefined])
})

test('null is the content of a message or preference, unless the message is deleted or recalled', () => {
  assert.equal(read({ ...message, createdAt: atMS, message: null }).message, null)
  assert.deepEqual(readLine(lineOf({ type: 'pref', user: 'u', key: 'k', data: null })), {
    read: { type: 'pref', user: 'u', key: 'k', data: null },
  })
  for (const gone of ['isDeleted', 'recalled']) read({ ...message, createdAt: atMS, message: null, [gone]: true })
})

test('message content is stored unchanged, unless the line is Extended JSON', () => {
  const content = { n: { $numberLong: '5' }, gone: null }
  assert.deepEqual(read({ ...message, createdAt: atMS, message: content }).message, content)
  const extended = { ...message, createdAt: { $date: '2021-03-01T09:00:00Z' }, message: content }
  assert.deepEqual(read(extended).message, { n: 5, gone: null })
})

describe('objects in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'))
  const file = join(folder, 'export')
  afterAll(() => rmSync(folder, { recursive: true }))
  /** Line and ID, or error, of each object. */
  async function objectsOf(text: string, options = {}): Promise<[number, string][]> {
    const whole = Buffer.from(text)
    writeFileSync(file, whole)
    const found: [number, string][] = []
    for await (const lines of linesOf(file, options)) {
      for (const line of lines) {
        const { number, offset, bytes, fault } = line
        assert.ok(whole.subarray(offset, offset + bytes.length).equals(bytes), 'the offset')
        const result = readLine(line)
        const id = 'read' in result ? (result.read as { _id: string })._id : result.problems[0]?.reason
        found.push([number, fault ?? String(id)])
      }
    }
    return found
  }
  const content = { '{"}': ['[\\"', {}] }
  const objects = ['a', 'b', 'c'].map((_id) =>
    Object.assign({ ...message, createdAt: atMS, message: content }, { _id }),
  )
  const [a, b, c] = objects.map((each) => JSON.stringify(each))

  test.each([
    ['on lines with CRLF, a byte order mark and blank lines', `\uFEFF${a}\r\n\r\n  \n${b}\r\n${c}`, [1, 4, 5]],
    ['of mongoexport --jsonArray', `[${a},\n${b},\n${c}]\n`, [1, 2, 3]],
    ['of an array with brackets on lines of their own', `[\n${a},\n${b},\n${c}\n]`, [2, 3, 4]],
    ['with commas first', `[${a}\n,${b}\n,${c}]`, [1, 2, 3]],
    ['all on one line', JSON.stringify(objects), [1, 1, 1]],
    ['without separators', `${a}${b} ${c}`, [1, 1, 1]],
    ['with many lines each', objects.map((each) => JSON.stringify(each, null, 2)).join('\n'), [1, 15, 29]],
    ['of a pretty array', JSON.stringify(objects, null, 2), [2, 16, 30]],
    ['of a pretty array without indentation', JSON.stringify(objects, null, 1).replaceAll(/\n +/g, '\n'), [2, 16, 30]],
    ['of a pretty array with tabs', JSON.stringify(objects, null, '\t').replaceAll('\n', '\r\n'), [2, 16, 30]],
  ])('%s', async (_form, text, numbers) => {
    assert.deepEqual(
      await objectsOf(text),
      numbers.map((number, i) => [number, 'abc'[i]]),
    )
  })

  const broken = 'is not a JSON object'
  test.each<[string, string, [number, string][]]>([
    [
      'a line that is cut off',
      `${a}\n{"type":"user","_id\n${b}`,
      [
        [1, 'a'],
        [2, broken],
        [3, 'b'],
      ],
    ],
    [
      'a line cut off after a colon',
      `{"type":\n${a}\n${b}`,
      [
        [1, `${broken}: the object that begins here breaks off on line 3`],
        [2, 'a'],
        [3, 'b'],
      ],
    ],
    [
      'text, numbers and lists',
      `nothing\n${a}\n12\n["x",1]\n${b}`,
      [
        [1, broken],
        [2, 'a'],
        [3, broken],
        [4, broken],
        [5, 'b'],
      ],
    ],
    [
      'a multi-line object that ends too soon',
      `[\n  {\n    "type": "user",\n    "list": [\n      {\n        "a": 1\n      }\n  },\n  ${a}\n]`,
      [
        [2, `${broken}: the object that begins here breaks off on line 8`],
        [9, 'a'],
      ],
    ],
    [
      'an object that never ends',
      `${a}\n{"type": {\n  "b":\n`,
      [
        [1, 'a'],
        [2, `${broken}: the object that begins here breaks off on line 4`],
      ],
    ],
  ])('%s is reported, and the others are read', async (_form, text, expected) => {
    assert.deepEqual(await objectsOf(text), expected)
  })

  test('an object over the limit is reported, and the others are read', async () => {
    const long = JSON.stringify({ ...objects[0], message: 'x'.repeat(1_000_000) })
    const expected = [
      [1, 'a'],
      [2, 'is longer than 10000 bytes'],
      [3, 'b'],
    ]
    assert.deepEqual(await objectsOf(`${a}\n${long}\n${b}`, { longest: 10_000 }), expected)
    const pretty = JSON.stringify([JSON.parse(long), objects[1]], null, 2)
    assert.deepEqual((await objectsOf(pretty, { longest: 10_000 })).slice(-1), [[11, 'b']])
  })

  test('objects are found wherever the chunks end', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => ({ ...objects[n % 3], message: 'é"{'.repeat(n % 97) }))
    const found = await objectsOf(JSON.stringify(many, null, 2))
    assert.deepEqual(
      found.map(([, id]) => id),
      many.map(({ _id }) => _id),
    )
  })
})

test.each([['{"type": "user", "type" }'], ['12']])('%s is refused with the expected form', (text) => {
  const result = readLine(lineOf(text))
  assert.ok('problems' in result)
  assert.match(result.problems[0]?.reason ?? '', /is not a JSON object|expected/)
})

test("a time in the future of MongoDB's clock is refused, whatever the process's clock", () => {
  clock.correct({ askedMS: Date.now(), roundTripMS: 0, readMS: Date.now() - 3_600_000 })
  try {
    const result = readLine(lineOf({ ...message, createdAt: Date.now() - 60_000 }))
    assert.deepEqual('problems' in result && result.problems.map(({ field, reason }) => [field, reason]), [
      ['createdAt', 'is in the future'],
    ])
  } finally {
    clock.correct({ askedMS: 0, roundTripMS: 0, readMS: 0 })
  }
})

test.each<[string, object, string]>([
  ['a preference of more than 16 KiB', { type: 'pref', user: 'u', key: 'k', data: 'x'.repeat(17_000) }, 'data'],
  [
    'a field of more than 16 KiB',
    { type: 'room', _id: 'r', roomType: 'group', extParams: { x: 'x'.repeat(17_000) } },
    'extParams',
  ],
  ['content of more than 64 KiB', { ...message, createdAt: atMS, message: 'x'.repeat(66_000) }, 'message'],
  [
    'content too deep',
    { ...message, createdAt: atMS, message: JSON.parse('['.repeat(101) + ']'.repeat(101)) },
    'message',
  ],
  [
    'reactions to a deleted message',
    { ...message, message: null, isDeleted: true, createdAt: atMS, reactions: [{ client: 'u', reaction: 'x' }] },
    'reactions',
  ],
  [
    'files of a deleted message',
    { ...message, message: null, isDeleted: true, createdAt: atMS, attachments: [{ fileID: 'f' }] },
    'attachments',
  ],
  ['an invalid token issuer', { type: 'config', key: 'tokenIssuers', data: [{ issuer: 'x' }] }, 'data'],
  ['a thread without a root', { ...message, createdAt: atMS, thread: true }, 'replyTo'],
])('%s is refused by field', (_what, line, field) => {
  const result = readLine(lineOf(line))
  assert.deepEqual('problems' in result && result.problems.map((problem) => problem.field), [field])
})

test('thread with replyTo, as in a send, is equivalent to threadOf', () => {
  const { threadOf, thread } = read({ ...message, createdAt: atMS, replyTo: 'p', thread: true }) as {
    threadOf: string
    thread?: boolean
  }
  assert.deepEqual([threadOf, thread], ['p', undefined])
})
