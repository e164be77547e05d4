import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { JsonText } from '@parley/chat/views/json-text'
import { describe, test } from 'vitest'
import { envelopeText } from './envelope-text.ts'

const mayRead = async () => undefined

describe('a response with JSON text as its result', () => {
  test('is a whole string when it is short', async () => {
    const answer = await envelopeText(new JsonText(['[1.0,', '"é"]']), mayRead)
    assert.equal(answer, '{"RC":0,"RM":"OK","result":[1.0,"é"]}')
  })

  test('is a stream with backpressure when it is long', async () => {
    const made = { parts: 0 }
    async function* parts() {
      yield '['
      for (; made.parts < 200; made.parts++) yield `"${'語'.repeat(20_000)}",`
      yield '0]'
    }
    const answer = await envelopeText(new JsonText(parts()), mayRead)
    assert.ok(answer instanceof Readable)
    const reader = answer[Symbol.asyncIterator]()
    await reader.next()
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(made.parts < 30, `${made.parts}`)
    let rest = 0
    for (let next = await reader.next(); !next.done; next = await reader.next()) rest += next.value.length
    assert.equal(made.parts, 200)
    assert.ok(rest > 170 * 60_000)
  })

  test('arrives whole', async () => {
    const value = Array.from({ length: 50 }, (_, i) => `${i} ${'x'.repeat(20_000)}`)
    const parts = value.map((item, i) => `${i === 0 ? '[' : ','}${JSON.stringify(item)}`)
    const answer = await envelopeText(new JsonText([...parts, ']']), mayRead)
    assert.ok(answer instanceof Readable)
    assert.deepEqual(JSON.parse(await text(answer)), { RC: 0, RM: 'OK', result: value })
  })

  test('becomes an error response if it fails before the first chunk, and aborts the stream after', async () => {
    async function* failing(after: number) {
      for (let i = 0; i < after; i++) yield 'x'.repeat(100_000)
      throw new Error('the database is away')
    }
    await assert.rejects(async () => envelopeText(new JsonText(failing(1)), mayRead), /away/)
    const answer = await envelopeText(new JsonText(failing(10)), mayRead)
    assert.ok(answer instanceof Readable)
    await assert.rejects(text(answer), /away/)
  })

  test('aborts and stops producing when the caller loses access', async () => {
    const made = { parts: 0, isOver: false }
    async function* parts() {
      try {
        for (; made.parts < 20; made.parts++) yield 'x'.repeat(100_000)
      } finally {
        made.isOver = true
      }
    }
    const answer = await envelopeText(new JsonText(parts()), async () => {
      if (made.parts >= 5) throw new Error('the token has ended')
    })
    assert.ok(answer instanceof Readable)
    await assert.rejects(text(answer), /token has ended/)
    assert.deepEqual(made, { parts: 5, isOver: true })
  })
})
