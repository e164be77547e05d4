import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, beforeEach, describe, onTestFinished, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

const stallingScheduler = join(import.meta.dirname, '../../services/api-gateway/src/test-stalling-scheduler.ts')
const hourMS = 3_600_000

describe('a gateway stalls while it sends scheduled messages, and another takes over', () => {
  let platform: Platform
  let gateway: RunningService
  let mongo: MongoClient
  let alice: PlatformUser
  let room: string

  beforeAll(async () => {
    platform = await startPlatform()
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
    gateway = await platform.start('api-gateway')
    alice = await platform.newUser()
  })
  afterAll(async () => {
    await mongo.close()
    await platform.stop()
  })
  beforeEach(async () => {
    room = await platform.newRoom([alice.id])
  })

  const scheduled = () => mongo.db().collection('scheduled')
  const beDue = () => scheduled().updateMany({ nextMS: { $exists: true } }, { $set: { nextMS: Date.now() } })
  async function schedule(message: string): Promise<string> {
    const body = { room, message, messageType: 'text', sendAtMS: Date.now() + hourMS, clientMessageID: message }
    return String((await alice.call('POST', '/scheduled', body))['id'])
  }
  const list = async () => {
    const { data } = await alice.call('GET', '/scheduled')
    return data as { id: string; message: string; refused?: { code: string } }[]
  }
  const history = async () => {
    const { data } = await alice.call('GET', `/rooms/${room}/messages/v3`)
    return (data as { message: string }[]).map(({ message }) => message)
  }

  /** Lets a process claim everything and stall. The returned function ends the stall and waits for the process. */
  async function claimAndStall(at: 'claimed' | 'written'): Promise<() => Promise<void>> {
    const { mongoUrl, natsUrl } = platform.servers
    process.kill(gateway.pid, 'SIGSTOP')
    const child = fork(stallingScheduler, [JSON.stringify({ mongoUrl, natsUrl, at })])
    onTestFinished(() => void child.kill('SIGKILL'))
    await beDue()
    const isStalled = async () => (await readFile(`/proc/${child.pid}/stat`, 'utf8')).includes(' T ')
    await eventually('it stalls', isStalled, 30)
    process.kill(gateway.pid, 'SIGCONT')
    return async () => {
      const ended = once(child, 'exit')
      child.kill('SIGCONT')
      await ended
    }
  }

  test('a message cancelled or changed meanwhile is not sent as it was', async () => {
    const [cancelled, changed] = [await schedule('cancelled'), await schedule('before')]
    await platform.admin('PUT', `/rooms/${room}`, { status: 0 })
    const goOn = await claimAndStall('claimed')
    await eventually('the other finds the room frozen', async () => (await list()).every(({ refused }) => refused), 60)
    await alice.call('DELETE', `/scheduled/${cancelled}`)
    await alice.call('PUT', `/scheduled/${changed}`, { message: 'after', sendAtMS: Date.now() + hourMS })
    await platform.admin('PUT', `/rooms/${room}`, { status: 1 })
    await goOn()
    assert.deepEqual([await history(), (await list()).map(({ message }) => message)], [[], ['after']])
    await beDue()
    await eventually('the changed message is sent', async () => (await history()).includes('after'), 60)
    assert.deepEqual(await history(), ['after'])
  })

  test('a message scheduled again under the same ID stays', async () => {
    await schedule('daily')
    const goOn = await claimAndStall('written')
    await eventually('the other removes it', async () => (await list()).length === 0, 60)
    await schedule('daily')
    await goOn()
    assert.deepEqual([await history(), (await list()).map(({ message }) => message)], [['daily'], ['daily']])
  })
})
