import assert from 'node:assert/strict'
import type { Chat } from '@parley/chat/chat'
import type { Logger } from '@parley/service/log'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import type { UserSocket } from '../connections/session.ts'
import { createRightsChecks, type RightsChecks } from './check-rights.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the right of a socket to see presence', () => {
  const chat = { limits: { presence: async () => new Map() } } as unknown as Chat
  const log = { warn: assert.fail } as unknown as Logger

  /** Sockets that watch one user each, all checked now; when each is checked again, in seconds. */
  function watch(count: number) {
    const sockets = Array.from(
      { length: count },
      () => ({ data: { session: { app: 'app', user: 'alice' } } }) as unknown as UserSocket,
    )
    const watchedBy = new Map(sockets.map((socket) => [socket, new Map([['bob', undefined]])]))
    const checkedAtS = new Map<UserSocket, number[]>()
    const beganMS = Date.now()
    const checks = createRightsChecks({
      ...{ chat, log, watchedBy },
      apply: (socket) => {
        const at = checkedAtS.get(socket) ?? []
        checkedAtS.set(socket, [...at, (Date.now() - beganMS) / 1_000])
      },
    })
    for (const socket of sockets) checks.begin(socket)
    return { sockets, watchedBy, checkedAtS, checks }
  }

  async function runFor(seconds: number, checks: RightsChecks): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      vi.advanceTimersByTime(1_000)
      await checks.run()
    }
  }

  test('is checked again about once a minute, however many sockets there are', async () => {
    for (const count of [100, 2_000, 6_000]) {
      const { sockets, checkedAtS, checks } = watch(count)
      await runFor(200, checks)
      const never = sockets.filter((socket) => !checkedAtS.has(socket)).length
      assert.equal(never, 0, `${never} of ${count} never`)
      for (const at of checkedAtS.values())
        assert.ok(at.length >= 2 && Number(at[0]) >= 60, `${count}: ${at.join(' ')}`)
    }
  })

  test('is checked in turn beyond the rate of a minute, and first after an event of the socket', async () => {
    const { sockets, checkedAtS, checks } = watch(10_000)
    await runFor(70, checks)
    const last = sockets.at(-1) as UserSocket
    checks.soon(last, ['bob'])
    await runFor(1, checks)
    assert.deepEqual(checkedAtS.get(last), [71])
    await runFor(100, checks)
    assert.equal(checkedAtS.size, sockets.length)
  })

  test('is checked in time even if the socket keeps subscribing to others', async () => {
    const { sockets, checkedAtS, checks } = watch(1)
    const [socket] = sockets as [UserSocket]
    for (let i = 0; i < 7; i++) {
      await runFor(10, checks)
      checks.begin(socket)
    }
    assert.deepEqual(checkedAtS.get(socket), [60])
  })

  test('is not checked once the node stops, however many are left', async () => {
    const { sockets, checkedAtS, checks } = watch(100)
    for (const socket of sockets) checks.soon(socket, ['bob'])
    const running = checks.run()
    checks.stop()
    await running
    assert.ok(checkedAtS.size > 0 && checkedAtS.size < sockets.length, `${checkedAtS.size} are checked`)
  })

  test('is not checked for sockets that no longer watch any user', async () => {
    const { sockets, watchedBy, checkedAtS, checks } = watch(100)
    for (const socket of sockets.slice(0, 90)) {
      watchedBy.delete(socket)
      checks.forget(socket)
    }
    await runFor(61, checks)
    assert.deepEqual([...checkedAtS.keys()], sockets.slice(90))
  })
})
