import assert from 'node:assert/strict'
import { message as messageSchema } from '@parley/contracts/resources/message'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { UserDoc } from '@parley/db/users/documents'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { messageJson, sentMessageJson, toMessageView, toSenderView, toSentMessageView } from './message.ts'

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const always = {
  ...{ _id: 'm', app: 'a', room: 'r', roomKey: 'a\0r', sender: 'ann', messageType: 'text' },
  ...{ createdAtMS: 1_700_000_000_000, updatedAtMS: 1_700_000_000_001 },
}
const doc = fc
  .record({
    content: optional(fc.json()),
    reactions: optional(fc.array(fc.record({ reaction: fc.string(), user: fc.string() }, { noNullPrototype: true }))),
    isDeleted: optional(fc.boolean()),
    mentions: optional(fc.array(fc.string())),
    pinned: optional(fc.boolean()),
    clientMessageID: optional(fc.string()),
    replyTo: optional(fc.constant('parent')),
    seq: fc.integer({ min: 1 }),
  })
  .map((fields) => Object.assign(fields, always) as unknown as MessageDoc)
const parent = { ...always, _id: 'parent', seq: 1, content: '{"text":"said"}' }
const quoted = new Map([[parent._id, parent]])
const user = { nickname: 'Ann', description: 'd', avatarUrl: 'u', isRobot: true, lastLoginTimeMS: 5 } as UserDoc

describe('a message', () => {
  test('is the same as object and as JSON text', () => {
    fc.assert(
      fc.property(doc, (each) => {
        // Compared as text, since deepEqual ignores an own field named __proto__.
        const sorted = (text: string) =>
          Object.entries(JSON.parse(text) as object)
            .map((field) => JSON.stringify(field))
            .toSorted()
        assert.deepEqual(
          sorted(messageJson(each, user, quoted)),
          sorted(JSON.stringify(toMessageView(each, user, quoted))),
        )
        assert.deepEqual(sorted(sentMessageJson(each, quoted)), sorted(JSON.stringify(toSentMessageView(each, quoted))))
      }),
    )
  })

  test('has the time in both forms, and counts its reactions', () => {
    fc.assert(
      fc.property(doc, (each) => {
        const view = toMessageView(each, user, quoted)
        assert.equal(Date.parse(view.messageTime), view.messageTimeMS)
        assert.equal(view.reactionCount, view.reactions.length)
        assert.equal('pinned' in view, each.pinned === true)
        assert.equal('message' in view, each.content !== undefined)
      }),
    )
  })

  test('of an erased user has the ID of the sender but no profile', () => {
    const view = toSenderView('ann', undefined)
    assert.deepEqual(view, {
      ...{ _id: 'ann', id: 'ann', nickname: '', description: '', avatarUrl: '', isRobot: false, lastLoginTimeMS: 0 },
    })
    assert.equal(toSenderView('ann', user).nickname, 'Ann')
  })

  test('matches the contract', () => {
    const [sample] = fc.sample(doc, 1)
    assert.ok(sample)
    const { clientMessageID: _, ...rest } = sample
    messageSchema.parse(toMessageView({ ...rest, mentions: ['bob'], reactions: [], content: '{"a":1}' }, user, quoted))
  })
})
