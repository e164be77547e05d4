import assert from 'node:assert/strict'
import { afterEach, describe, test, vi } from 'vitest'
import { newSocketData, type Session, type UserSocket } from '../connections/session.ts'
import { watchTokenEnds } from './token-ends.ts'

afterEach(() => void vi.useRealTimers())

describe('a token in use', () => {
  test('closes its sockets when it is gone or bound again with an earlier end, and only then', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000)
    const ends = new Map<string, Date>([
      ['stays', inAnHour],
      ['ends', new Date(Date.now() + 3_000)],
    ])
    const readActive = async (sessions: readonly Session[]) =>
      new Map(
        sessions.flatMap((session): [Session, Date][] => {
          const end = ends.get(session.user)
          return end && end.getTime() > Date.now() ? [[session, end]] : []
        }),
      )
    const sockets = new Set<UserSocket>()
    const closed: string[] = []
    for (const user of ['stays', 'ends', 'gone']) {
      const session = { user, expiresAt: inAnHour, sinceMS: Date.now() } as Session
      const socket = {
        data: { ...newSocketData(), session },
        disconnect(_close: boolean, reason: string) {
          closed.push(`${user}: ${reason}`)
          sockets.delete(this as unknown as UserSocket)
        },
      }
      sockets.add(socket as unknown as UserSocket)
    }
    const watch = watchTokenEnds({ readActive, log: { warn: assert.fail } as never }, { all: () => [...sockets] }, 1)
    await vi.waitUntil(() => closed.length === 2, { timeout: 100_000 })
    await watch.stop()
    assert.deepEqual(closed.toSorted(), ['ends: token ended', 'gone: token ended'])
    assert.deepEqual(
      [...sockets].map(({ data }) => data.session?.user),
      ['stays'],
    )
  })
  test('is looked up before its end, even right after the regular lookup', async () => {
    const beganMS = Date.now()
    const endMS = beganMS + 6_000
    const session = { user: 'alice', expiresAt: new Date(endMS), sinceMS: beganMS - 61_000 } as Session
    const socket = { data: { ...newSocketData(), session }, disconnect: assert.fail } as unknown as UserSocket
    const lookedUpIn: number[] = []
    let looks = 0
    const readActive = async (sessions: readonly Session[]) => {
      if (sessions.length > 0) lookedUpIn.push(looks)
      // After the first lookup it is bound again.
      const expiresAt = new Date(lookedUpIn.length === 1 ? endMS : endMS + 3_600_000)
      return new Map(sessions.map((one) => [one, expiresAt]))
    }
    const all = () => {
      // The time of the next lookup.
      vi.setSystemTime(beganMS + (looks++ === 0 ? 4_500 : 7_000))
      return [socket]
    }
    const watch = watchTokenEnds({ readActive, log: { warn: assert.fail } as never }, { all })
    await vi.waitUntil(() => looks > 3, { timeout: 100_000 })
    await watch.stop()
    assert.deepEqual(lookedUpIn, [1, 2])
    assert.equal(session.expiresAt.getTime(), endMS + 3_600_000)
  })
})
