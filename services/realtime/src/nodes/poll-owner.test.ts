import assert from 'node:assert/strict'
import { connectBus } from '@parley/bus/connect'
import { textResponse } from '@parley/socketio/polling/answer'
import { isolatedServers } from '@parley/stack/test-servers'
import { describe, onTestFinished, test } from 'vitest'
import { createPollOwners, servePolls } from './poll-owner.ts'

describe("a poll at another node than its session's", () => {
  test('is answered at once, as out of reach, if its packets are too large for the bus', async () => {
    const servers = await isolatedServers(['nats'])
    const { natsUrl } = servers
    const [asking, holding] = await Promise.all([connectBus(natsUrl, 'asking'), connectBus(natsUrl, 'holding')])
    const errors: Error[] = []
    const tooLarge = 'x'.repeat(1024 * 1024 + 1)
    const served = servePolls(
      holding,
      'holding',
      async () => textResponse(tooLarge),
      (error) => void errors.push(error),
    )
    const owners = createPollOwners(asking, 60_000, () => new Map([['holding', 'run']]))
    onTestFinished(async () => {
      owners.stop()
      served.unsubscribe()
      await Promise.all([asking.close(), holding.close()])
      await servers.stop()
    })
    await holding.nats.flush()
    const poll = { method: 'GET', sid: 'session', body: '' } as const
    const { status, error } = await owners.reach('holding', poll, new AbortController().signal)
    assert.deepEqual([status, error, errors.length], [400, 'Session out of reach', 1])
  })
})
