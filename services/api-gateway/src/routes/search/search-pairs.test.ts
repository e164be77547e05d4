import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAlice, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { searchPairs } from './test-search-pairs.ts'

describe('POST /search finds a text by', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  const ids = new Map<string, string>()
  const texts = new Set(Object.values(searchPairs).flatMap((pairs) => pairs.map(([text]) => text)))
  beforeAll(async () => {
    ;({ gateway, alice, room } = await startWithAlice())
    const sent = [...texts].map(async (message) => {
      const answer = await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
      ids.set(message, answer.body.result._id)
    })
    await Promise.all(sent)
  })
  afterAll(() => gateway.stop())

  test('at least 100 pairs in 12 languages', () => {
    assert.ok(Object.values(searchPairs).flat().length >= 100)
    assert.ok(Object.keys(searchPairs).length >= 12)
  })

  for (const [language, pairs] of Object.entries(searchPairs)) {
    for (const [text, keyword, isFound] of pairs) {
      test(`${language}: ${keyword} ${isFound ? 'is found in' : 'is not found in'} ${text}`, async () => {
        const { body } = await alice.call('POST', '/search', { keyword, room, limit: 500 })
        const found: string[] = body.result.messages.flatMap((each: { messages: string[] }) => each.messages)
        assert.equal(found.includes(ids.get(text) ?? ''), isFound)
      })
    }
  }
})
