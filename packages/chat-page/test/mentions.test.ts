import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { findMentions, keepMentions } from '../src/composer/mention-ranges.ts'

const people = [
  { _id: 'al', nickname: 'Al' },
  { _id: 'alice', nickname: 'Alice Smith' },
  { _id: 'wei', nickname: '张伟' },
  { _id: 'two 1', nickname: 'Two' },
  { _id: 'two 2', nickname: 'two' },
  { _id: 'no name', nickname: '' },
]
const usersIn = (text: string) => findMentions(text, people).map(({ user }) => user)

describe('the mentions of a text', () => {
  test('are the longest full names after an @, of one person each', () => {
    assert.deepEqual(usersIn('@Al, @alice smith and ＠张伟你好'), ['al', 'alice', 'wei'])
    assert.deepEqual(usersIn('@Alice @Albert @Al_ @Two'), [])
    assert.deepEqual(usersIn('@Al. @Al! (@Al)'), ['al', 'al', 'al'])
    assert.deepEqual(usersIn('@no name'), ['no name'])
    assert.deepEqual(findMentions('İ @al', people), [{ user: 'al', from: 2, to: 5 }])
  })

  test('exclude ranges of known mentions', () => {
    assert.deepEqual(findMentions('@Al', people, [{ user: 'x', from: 0, to: 3 }]), [])
  })

  /** `|` marks the caret after the change. */
  const kept = (before: string, after: string) => {
    const caret = after.indexOf('|')
    const text = after.replace('|', '')
    const ranges = findMentions(before, people)
    return keepMentions(ranges, before, text, caret).map(({ user, from, to }) => `${user} ${text.slice(from, to)}`)
  }

  test('move with changes before them, and stay at changes after them', () => {
    assert.deepEqual(kept('@Al hi', 'Oh 👍 |@Al hi'), ['al @Al'])
    assert.deepEqual(kept('@Al hi', '@Al hello|'), ['al @Al'])
    assert.deepEqual(kept('x @Al y @张伟 z', '|@Al y @张伟 z'), ['al @Al', 'wei @张伟'])
    assert.deepEqual(kept('@Al @Al', '@Al |@Al @Al'), ['al @Al', 'al @Al'])
    assert.deepEqual(kept('@张伟', '@张伟你好|'), ['wei @张伟'])
  })

  test('end at a change inside them, and at a letter that makes another name', () => {
    assert.deepEqual(kept('@Al hi', '@A| hi'), [])
    assert.deepEqual(kept('@Al hi', '@|l hi'), [])
    assert.deepEqual(kept('@Al hi', '|'), [])
    assert.deepEqual(kept('@Al', '@Albert|'), [])
    assert.deepEqual(kept('@Al hi', '@Al|hi'), [])
    assert.deepEqual(kept('@Al @张伟', '@A|l @张伟'), ['al @Al', 'wei @张伟'])
  })
})
