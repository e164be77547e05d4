import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'

/** A well-behaved user that keeps requesting the badge and emitting typing. */
export interface Witness {
  /** Runs the work. Fails if a response to the witness is wrong, or takes far longer than the slowest without an attack. */
  during<T>(work: () => Promise<T>): Promise<T>
}

/** Far beyond the noise of a busy machine. */
const timesUsual = 20
const atLeastMS = 20_000
const betweenMS = 20

export async function createWitness(socket: Socket, room: string, askBadge: () => Promise<Response>): Promise<Witness> {
  async function askOnce(): Promise<number> {
    const since = performance.now()
    const [badge, ack] = await Promise.all([
      askBadge(),
      socket.emitWithAck('typing', { room, message: 'x' }) as Promise<{ RC: number }>,
    ])
    assert.deepEqual([badge.status, ack.RC], [200, 0])
    return performance.now() - since
  }

  let turn: Promise<unknown> = Promise.resolve()
  /** Shares one sequence of requests among concurrent works, since a user's emits are rate limited. */
  function askInTurn(): Promise<number> {
    const asked = turn.then(async () => {
      const tookMS = await askOnce()
      await pause(betweenMS)
      return tookMS
    })
    turn = asked.catch(() => undefined)
    return asked
  }

  let usualMS = 0
  for (let i = 0; i < 20; i++) usualMS = Math.max(usualMS, await askOnce())
  const allowedMS = Math.max(atLeastMS, timesUsual * usualMS)

  return {
    async during(work) {
      const over = new AbortController()
      const asking = (async () => {
        let slowestMS = 0
        do slowestMS = Math.max(slowestMS, await askInTurn())
        while (!over.signal.aborted)
        return slowestMS
      })()
      const [done, slowestMS] = await Promise.all([work().finally(() => over.abort()), asking])
      assert.ok(slowestMS < allowedMS, `the witness waited ${slowestMS.toFixed(0)} ms, usually ${usualMS.toFixed(0)}`)
      assert.ok(socket.connected, 'the witness is still connected')
      return done
    },
  }
}
