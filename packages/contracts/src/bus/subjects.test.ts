import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { type ServerEvent, serverEvents } from '../socket/server-events.ts'
import {
  type Audience,
  anyEventSubject,
  appEventsSubjects,
  appOfCommands,
  audienceSubject,
  capturedSubjects,
  controlSubject,
  eventSubject,
  everyRoomSubject,
  feedSubject,
  membersChangeSubject,
  nodeSubject,
  parseEventSubject,
  parseFeedSubject,
  parsePushSubject,
  pushToClientsSubject,
  staleSubject,
  subjectToken,
} from './subjects.ts'

/** IDs, rich in the characters that NATS reserves. */
const id = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc.string({ minLength: 1, unit: fc.constantFrom('.', '*', '>', ' ', '%', 'a', '\t', '$') }),
)
const event = fc.constantFrom(...(Object.keys(serverEvents) as ServerEvent[]))
const audience: fc.Arbitrary<Audience> = fc.oneof(
  fc.record({ app: id, room: id }, { noNullPrototype: true }),
  fc.record({ app: id, user: id }, { noNullPrototype: true }),
)

/** docs.nats.io, "Subject-Based Messaging": tokens between dots; `*` is any one token, `>` all that follow. */
function matches(pattern: string, subject: string): boolean {
  const [tokens, wanted] = [subject.split('.'), pattern.split('.')]
  for (const [i, token] of wanted.entries()) {
    if (token === '>') return tokens.length > i
    if (tokens[i] === undefined || (token !== '*' && token !== tokens[i])) return false
  }
  return tokens.length === wanted.length
}

describe('a token of a subject', () => {
  test('holds no separator, wildcard or white space, and differs for different IDs', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        assert.match(subjectToken(one), /^[\w%-]+$/)
        assert.equal(subjectToken(one) === subjectToken(other), one === other)
      }),
    )
  })
})

describe('the subject of an event', () => {
  test('names the target and the event', () => {
    fc.assert(
      fc.property(audience, event, (to, name) =>
        assert.deepEqual(parseEventSubject(eventSubject(to, name)), { to, event: name }),
      ),
    )
  })

  test('reaches the subscribers of its room or user, and no others', () => {
    fc.assert(
      fc.property(audience, audience, event, (to, other, name) => {
        assert.ok(matches(audienceSubject(to), eventSubject(to, name)))
        const isSame = JSON.stringify(to) === JSON.stringify(other)
        assert.equal(matches(audienceSubject(other), eventSubject(to, name)), isSame)
      }),
    )
  })

  test("is in its app's stored subjects if it is stored, and in its room's if it has one", () => {
    fc.assert(
      fc.property(audience, id, event, (to, app, name) => {
        const subject = eventSubject(to, name)
        const isKept = capturedSubjects(to.app).some((pattern) => matches(pattern, subject))
        assert.equal(isKept, serverEvents[name].captured)
        const isOther = capturedSubjects(app).some((pattern) => matches(pattern, subject))
        assert.equal(isOther, isKept && app === to.app)
        assert.equal(matches(everyRoomSubject(name), subject), 'room' in to && isKept)
      }),
    )
  })
})

test('commands and push work name their app', () => {
  fc.assert(
    fc.property(id, (app) => {
      assert.equal(appOfCommands(controlSubject(app)), app)
      assert.equal(appOfCommands(staleSubject(app)), app)
      assert.equal(parsePushSubject(pushToClientsSubject(app)), app)
      assert.equal(parsePushSubject(membersChangeSubject(app, app)), app)
    }),
  )
})

test('requests to two nodes never share a subject', () => {
  fc.assert(
    fc.property(id, id, (one, other) =>
      assert.equal(nodeSubject(one, 'poll') === nodeSubject(other, 'poll'), one === other),
    ),
  )
})

test("the integrator's feed has its own events, which no node receives", () => {
  const name = fc.constantFrom('user', 'room', 'ban', 'members')
  fc.assert(
    fc.property(audience, name, (to, event) => {
      const subject = feedSubject(to, event)
      assert.deepEqual(parseFeedSubject(subject), { to, event })
      assert.equal(matches(audienceSubject(to), subject), false)
      for (const wanted of [
        appEventsSubjects(to.app),
        capturedSubjects(to.app),
        [anyEventSubject('feed', to.app, event)],
      ]) {
        assert.equal(
          wanted.some((pattern) => matches(pattern, subject)),
          true,
        )
      }
    }),
  )
})
