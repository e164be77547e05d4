import assert from 'node:assert/strict'
import { describe, onTestFinished, test } from 'vitest'
import type { Message } from '../generated/types.ts'
import { StreamingTexts } from './streaming-texts.ts'

describe('texts that robots are streaming', () => {
  function begin() {
    const streaming = new StreamingTexts(60_000)
    onTestFinished(() => streaming.close())
    const texts = () => streaming.store.get().map(({ text }) => text)
    const piece = (message: string, at: number, text: string, known?: Message) =>
      streaming.heard({ room: 'room', sender: 'bot', message, at, text }, known)
    return { streaming, texts, piece }
  }
  const message = (_id: string, fields: Partial<Message> = {}) =>
    ({ _id, room: 'room', seq: 1, message: '', sender: { _id: 'bot' }, ...fields }) as Message

  test('goes on when an older message of the robot changes, and ends with its message', () => {
    const { streaming, texts } = begin()
    const say = (text: string) => streaming.heard({ room: 'room', sender: 'bot', text }, undefined)
    say('The answer ')
    streaming.changed(message('of yesterday'))
    say('is 42')
    assert.deepEqual(texts(), ['The answer is 42'])
    streaming.sent(message('new'))
    assert.deepEqual(texts(), [])
  })

  test('two messages of one robot are two texts, and end one by one', () => {
    const { streaming, texts, piece } = begin()
    piece('a', 0, 'To Ann: ')
    piece('b', 0, 'To Bob: ')
    piece('a', 8, 'yes')
    assert.deepEqual(texts(), ['To Ann: yes', 'To Bob: '])
    streaming.sent(message('c', { streaming: true }))
    streaming.changed(message('a', { streaming: true }))
    streaming.changed(message('a'))
    assert.deepEqual(texts(), ['To Bob: '])
    piece('a', 11, '!', message('a'))
    assert.deepEqual(texts(), ['To Bob: '])
  })

  test('pieces in any order, and again, make one text; what is missing is marked', () => {
    const { texts, piece } = begin()
    piece('a', 6, 'big ')
    assert.deepEqual(texts(), ['…big '])
    piece('a', 10, 'world')
    piece('a', 0, 'Hello ')
    piece('a', 6, 'big ')
    assert.deepEqual(texts(), ['Hello big world'])
    piece('a', 6, 'old')
    assert.deepEqual(texts(), ['Hello old world'])
  })

  test('a room opened late shows the text of the history so far', () => {
    const { texts, piece } = begin()
    piece('a', 6, 'world', message('a', { streaming: true, message: { text: 'Hello ' } }))
    assert.deepEqual(texts(), ['Hello world'])
  })

  test('the history loaded later stands for missed pieces, and a message that has ended ends', () => {
    const { streaming, texts, piece } = begin()
    piece('a', 6, 'big ')
    const loaded = (fields: Partial<Message>) =>
      streaming.loaded((id) => (id === 'a' ? message(id, fields) : undefined))
    loaded({ streaming: true, message: 'Hello ***' })
    assert.deepEqual(texts(), ['Hello big '])
    piece('a', 15, '!')
    assert.deepEqual(texts(), ['Hello big …!'])
    piece('a', 15, '!', message('a', { streaming: true, message: 'Hello big world' }))
    assert.deepEqual(texts(), ['Hello big world!'])
    loaded({ message: 'Hello big world!' })
    assert.deepEqual(texts(), [])
  })
})
