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

  test('continue when an older message of the robot changes, and end with their message', () => {
    const { streaming, texts } = begin()
    const say = (text: string) => streaming.heard({ room: 'room', sender: 'bot', text }, undefined)
    say('The answer ')
    streaming.changed(message('of yesterday'))
    say('is 42')
    assert.deepEqual(texts(), ['The answer is 42'])
    streaming.sent(message('new'))
    assert.deepEqual(texts(), [])
  })

  test('are separate for two messages of one robot, and end separately', () => {
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

  test('join pieces in any order, repeats included, and mark missing ones', () => {
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

  test('show the history so far when a room is opened late', () => {
    const { texts, piece } = begin()
    piece('a', 6, 'world', message('a', { streaming: true, message: { text: 'Hello ' } }))
    assert.deepEqual(texts(), ['Hello world'])
  })

  test('fill missed pieces from history loaded later, and end if their message has ended', () => {
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
