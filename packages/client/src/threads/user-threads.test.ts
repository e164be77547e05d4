import assert from 'node:assert/strict'
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../client.ts'
import type { ListThreadsResult, Message, ServerEvents } from '../generated/types.ts'
import { createListeners } from '../listeners.ts'
import { createStore } from '../store.ts'
import { createThreads } from './user-threads.ts'

/** Reads queue up, and a busy machine may take long. */
const patient = { timeout: 60_000 }

describe("the list of a user's threads", () => {
  /** A list whose reads the test resolves. */
  function slowList() {
    const asked: PromiseWithResolvers<ListThreadsResult>[] = []
    const listeners = createListeners<ServerEvents>()
    const on: Client['on'] = (event, listener) => listeners.on(event, listener)
    const client = {
      on,
      connection: createStore({ status: 'online' }),
      me: createStore({ _id: 'alice' }),
      api: {
        listThreads() {
          const call = Promise.withResolvers<ListThreadsResult>()
          asked.push(call)
          return call.promise
        },
      },
    } as unknown as Client
    const threads = createThreads(client)
    onTestFinished(() => threads.close())
    const counts = () =>
      threads.list.get().map(({ root, totalCount, unread }) => [root._id, totalCount, unread] as const)
    const answer = (n: number, page: ListThreadsResult) => {
      asked[n]?.resolve(page)
      return nextTask()
    }
    return { threads, asked, listeners, counts, answer }
  }
  const thread = (_id: string, totalCount: number, unread: number) => ({
    root: { _id, room: 'room', seq: 1, threadCount: totalCount, threadLatestSeq: totalCount } as Message,
    totalCount,
    latestSeq: totalCount,
    unread,
  })
  const page = (...data: ListThreadsResult['data']) =>
    ({ data, unreadThreads: data.filter(({ unread }) => unread > 0).length }) as ListThreadsResult
  const reply = (threadOf: string, seq: number) =>
    ({ _id: `${threadOf} ${seq}`, room: 'room', threadOf, seq, sender: { _id: 'bob' } }) as Message

  test('counts a message that arrives during the first read', async () => {
    const { threads, listeners, counts, answer } = slowList()
    listeners.call('thread message', reply('b', 3))
    await answer(0, page(thread('a', 5, 0), thread('b', 2, 0)))
    assert.deepEqual(counts(), [
      ['b', 3, 1],
      ['a', 5, 0],
    ])
    assert.equal(threads.unread.get(), 1)
  })

  test('counts a message that the first read includes only once', async () => {
    const { threads, listeners, counts, answer } = slowList()
    listeners.call('thread message', reply('a', 3))
    await answer(0, page(thread('a', 3, 1)))
    assert.deepEqual([counts(), threads.unread.get()], [[['a', 3, 1]], 1])
  })

  test('keeps a message that arrives while the list is reread', async () => {
    const { listeners, counts, asked, answer } = slowList()
    await answer(0, page(thread('a', 2, 0), thread('b', 2, 0)))
    listeners.call('messageDeleted', { room: 'room', messageID: 'a 1' })
    await vi.waitFor(() => assert.equal(asked.length, 2), patient)
    listeners.call('thread message', reply('b', 3))
    await answer(1, page(thread('a', 2, 0), thread('b', 2, 0)))
    assert.deepEqual(counts()[0], ['b', 3, 1])
  })

  test('is reread after a read marker or a thread change that arrives during a read', async () => {
    const { listeners, counts, asked, answer } = slowList()
    await answer(0, page(thread('a', 2, 2)))
    listeners.call('messageDeleted', { room: 'room', messageID: 'a 1' })
    await vi.waitFor(() => assert.equal(asked.length, 2), patient)
    listeners.call('threadLastRead', { roomID: 'room', threadOf: 'a', messageID: 'a 2', unread: 0 })
    await answer(1, page(thread('a', 2, 2)))
    await vi.waitFor(() => assert.equal(asked.length, 3), patient)
    listeners.call('messageUpdated', { _id: 'b', room: 'room' } as Message)
    await answer(2, page(thread('a', 2, 0), thread('b', 2, 0)))
    assert.deepEqual(counts()[0], ['a', 2, 0])
    await vi.waitFor(() => assert.equal(asked.length, 4), patient)
    await answer(3, page(thread('a', 2, 0), thread('b', 2, 1)))
    const hidden = { room: 'room', messages: ['b 1'], isUserDeleteAllMessagesInRoom: false }
    listeners.call('userDeleteMessages', hidden)
    await vi.waitFor(() => assert.equal(asked.length, 5), patient)
  })

  test('is reread after a recall in a thread, which no longer counts as unread', async () => {
    const { listeners, counts, asked, answer } = slowList()
    await answer(0, page(thread('a', 2, 2)))
    const recalled: Message = { ...reply('a', 2), messageType: 'recall' }
    listeners.call('messageUpdated', recalled)
    await vi.waitFor(() => assert.equal(asked.length, 2), patient)
    await answer(1, page(thread('a', 2, 1)))
    listeners.call('thread message', { ...recalled, seq: 3 })
    assert.deepEqual(counts(), [['a', 3, 1]])
  })
})
