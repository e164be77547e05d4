import assert from 'node:assert/strict'
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { type Bus, connectBus } from '@parley/bus/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { logged } from '../log-line.ts'
import { eventually, type Platform, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'
import { metricsOf } from '../service-metrics.ts'

describe('a stream that refuses events', () => {
  let platform: Platform
  let bus: Bus
  beforeAll(async () => {
    platform = await startPlatform()
    bus = await connectBus(platform.servers.natsUrl, 'test')
  })
  afterAll(async () => {
    await bus.close()
    await platform.stop()
  })

  /** Makes the stream refuse everything, as without room on its disk, or accept it again. */
  async function setFull(isFull: boolean): Promise<void> {
    const { streams } = await jetstreamManager(bus.nats)
    const { state } = await streams.info('PARLEY_EVENTS')
    const limits = isFull
      ? { discard: DiscardPolicy.New, max_msgs: Math.max(1, state.messages) }
      : { discard: DiscardPolicy.Old, max_msgs: -1 }
    await streams.update('PARLEY_EVENTS', limits)
  }

  test('is named by /readyz, its metric and the log, while services stay ready; then the events arrive', async () => {
    const [gateway, node] = [await platform.start('api-gateway'), await platform.start('realtime')]
    const ann = await platform.newUser('ann')
    const room = await platform.newRoom(['ann'])
    const socket = await platform.connect(node, ann)
    const heard = new Set<string>()
    const accepted = new Set<string>()
    socket.on('chat message', ({ _id }: { _id: string }) => heard.add(_id))
    const send = async () => {
      const message = { room, sender: 'ann', message: 'x', messageType: 'text' }
      accepted.add(String((await platform.admin('POST', '/messages', message))['_id']))
    }
    await send()
    assert.deepEqual((await readiness(gateway)).failing, {})

    await setFull(true)
    await send()
    const { status, failing } = await eventually('it is named', async () => {
      const answer = await readiness(gateway)
      return Object.keys(answer.failing).length > 0 ? answer : undefined
    })
    assert.equal(status, 200)
    assert.deepEqual(failing, { stream: 'PARLEY_EVENTS refuses events: maximum messages exceeded' })
    assert.match(await metricsOf(gateway), /^parley_dependency_up\{.*dependency="stream".*\} 0$/m)
    await logged(gateway, /event not published yet/)
    await logged(gateway, /maximum messages exceeded/)

    await setFull(false)
    await eventually('nothing fails', async () => Object.keys((await readiness(gateway)).failing).length === 0)
    await send()
    await eventually('all arrive', () => [...accepted].every((id) => heard.has(id)))
  })
})
