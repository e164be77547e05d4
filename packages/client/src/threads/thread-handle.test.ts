import assert from 'node:assert/strict'
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, onTestFinished, test, vi } from 'vitest'
import type { ListThreadResult, Message } from '../generated/types.ts'
import { ThreadHandle, type ThreadParts } from './thread-handle.ts'

/** Reports are debounced, and a busy machine may take long. */
const patient = { timeout: 60_000 }

describe('a thread', () => {
  /** A thread whose reads and reports the test resolves. */
  function unopened() {
    const readings: PromiseWithResolvers<ListThreadResult>[] = []
    const reports: PromiseWithResolvers<{ unread: number }>[] = []
    const begun = <T>(all: PromiseWithResolvers<T>[]) => {
      const call = Promise.withResolvers<T>()
      all.push(call)
      return call.promise
    }
    const thread = new ThreadHandle('root', 'room', {
      calls: { listThread: () => begun(readings), markThreadRead: () => begun(reports) },
      outbox: { ofThread: () => [] },
      me: () => 'alice',
      sender: () => ({ _id: 'alice' }),
      isConnected: () => true,
      whenReady: async () => undefined,
      threadRead: () => undefined,
    } as unknown as ThreadParts)
    onTestFinished(() => thread.close())
    const answer = (n: number, unread: number) => {
      readings[n]?.resolve(page(unread))
      return nextTask()
    }
    return { thread, readings, reports, answer }
  }
  /** An open thread with one message from Bob. */
  async function openThread() {
    const begun = unopened()
    const { thread, readings, answer } = begun
    const opened = thread.open()
    await vi.waitFor(() => assert.equal(readings.length, 1), patient)
    await answer(0, 1)
    await opened
    assert.equal(thread.unread.get(), 1)
    return begun
  }
  const message = (_id: string, seq: number) =>
    ({ _id, room: 'room', seq, updatedAtMS: seq, createdAtMS: seq, sender: { _id: 'bob' } }) as Message
  const page = (unread: number) =>
    ({
      root: { ...message('root', 7), threadCount: 1, threadLatestSeq: 1 },
      data: [{ ...message('m1', 1), threadOf: 'root' }],
      ...{ takesPart: true, unread, totalCount: 1, latestSeq: 1, userDeletedIDs: [] },
    }) as unknown as ListThreadResult

  test('stays read if its count is read during the report', async () => {
    const { thread, readings, reports, answer } = await openThread()
    thread.markRead()
    await vi.waitFor(() => assert.equal(reports.length, 1), patient)
    const caughtUp = thread.catchUp()
    await vi.waitFor(() => assert.equal(readings.length, 2), patient)
    await answer(1, 1)
    reports[0]?.resolve({ unread: 0 })
    await vi.waitFor(() => assert.equal(thread.unread.get(), 0), patient)
    await answer(2, 0)
    await caughtUp
    assert.equal(thread.unread.get(), 0)
  })

  test('stays read if a count read before the report arrives after it', async () => {
    const { thread, readings, reports, answer } = await openThread()
    thread.markRead()
    await vi.waitFor(() => assert.equal(reports.length, 1), patient)
    const caughtUp = thread.catchUp()
    await vi.waitFor(() => assert.equal(readings.length, 2), patient)
    reports[0]?.resolve({ unread: 0 })
    await nextTask()
    await answer(1, 1)
    assert.equal(thread.unread.get(), 0)
    await vi.waitFor(() => assert.equal(readings.length, 3), patient)
    for (let n = 2; n < readings.length; n++) await answer(n, 0)
    await caughtUp
    assert.equal(thread.unread.get(), 0)
  })

  test.each([
    ['deletes for themselves', (thread: ThreadHandle) => thread.handleHidden(['m0'])],
    ['did not load and is deleted', (thread: ThreadHandle) => thread.handleDeletion({ room: 'room', messageID: 'm0' })],
    [
      'did not load and is recalled',
      (thread: ThreadHandle) => thread.heard({ ...message('m0', 1), messageType: 'recall' }),
    ],
  ])('is recounted after the loss of a message that the user %s', async (_what, goes) => {
    const { thread, readings, answer } = await openThread()
    goes(thread)
    await vi.waitFor(() => assert.equal(readings.length, 2), patient)
    await answer(1, 0)
    assert.equal(thread.unread.get(), 0)
    goes(thread)
    assert.equal(readings.length, 2)
  })

  test('is recounted after a login without a complete replay, even if it was never open', async () => {
    const { thread, readings, answer } = unopened()
    thread.handleRoot({ ...message('root', 7), sender: { _id: 'alice' } } as Message)
    thread.heard({ ...message('m1', 1), threadOf: 'root' })
    assert.equal(thread.unread.get(), 1)
    await thread.catchUp()
    await vi.waitFor(() => assert.equal(readings.length, 1), patient)
    await answer(0, 0)
    assert.equal(thread.unread.get(), 0)
  })
})
