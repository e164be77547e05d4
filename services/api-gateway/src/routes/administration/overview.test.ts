import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { recordPeaks } from '@parley/db/statistics/peaks'
import { createAppFigures } from '@parley/presence/app-figures'
import { closePresence, connectPresence, type Presence } from '@parley/presence/connect'
import { reportConnections } from '@parley/presence/connection-counts'
import { reportProcess } from '@parley/presence/processes'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

const fail = (error: Error) => assert.fail(error)

describe('GET /admin/overview', () => {
  let gateway: TestGateway
  let presence: Presence
  beforeAll(async () => {
    gateway = await startTestGateway()
    presence = await connectPresence((await testServers()).redisUrl, fail)
  })
  afterAll(async () => {
    await closePresence(presence)
    await gateway.stop()
  })

  const read = async () => {
    const { status, body } = await gateway.admin('GET', '/admin/overview')
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }

  test("sums the processes' counts for the app, by minute and hour, with the peaks of connections", async () => {
    const [one, other] = [createAppFigures(presence, fail), createAppFigures(presence, fail)]
    one.add(gateway.app, 'messages', 3)
    other.add(gateway.app, 'messages', 4)
    other.add(gateway.app, 'failedCalls')
    other.add('another app', 'messages', 100)
    await Promise.all([one.stop(), other.stop()])
    const node = randomUUID()
    await reportConnections(presence, node, gateway.app, 5)
    const minute = Math.floor(Date.now() / 60_000)
    await recordPeaks(gateway.chat.db, gateway.app, new Map([[minute - 2, 9]]))
    const { connections, hour, day } = await read()
    assert.deepEqual([connections, hour.length, day.length], [5, 60, 24])
    for (const series of [hour, day]) {
      const sum = (name: string) =>
        series.reduce((all: number, { figures }: { figures: Record<string, number> }) => all + (figures[name] ?? 0), 0)
      assert.deepEqual([sum('messages'), sum('failedCalls'), sum('pushes')], [7, 1, 0])
      const peaks = series.map(({ peakConnections }: { peakConnections: number }) => peakConnections)
      assert.equal(Math.max(...peaks), 9)
    }
    assert.ok(hour.some(({ peakConnections }: { peakConnections: number }) => peakConnections === 5))
    assert.ok(
      hour.every(({ fromMS }: { fromMS: number }, i: number) => i === 0 || fromMS - hour[i - 1].fromMS === 60_000),
    )
  })

  test('lists processes with version, memory and credentials, and alerts on silent ones and dead letters', async () => {
    const node = `push ${randomUUID()}`
    const credentials = [
      {
        network: 'apns' as const,
        state: 'refused' as const,
        name: 'key K',
        sinceMS: 1,
        lastError: 'ExpiredProviderToken',
      },
    ]
    const [stopped] = credentials
    const ofOther = { ...stopped, app: 'another app', name: 'nearly all devices of another app' }
    const all = () => ({ credentials: [...credentials, ofOther] as typeof credentials })
    const process = reportProcess(presence, { service: 'push', node, version: '9.9' }, all, {
      failed: fail,
      ended: () => undefined,
    })
    const found = async () => (await read()).processes.find((one: { node: string }) => one.node === node)
    await vi.waitUntil(async () => (await found()) !== undefined)
    const dead = { app: gateway.app, state: 'failed', failedAt: new Date(), createdAtMS: 1, room: 'r' }
    await gateway.chat.db.outgoingCalls.insertOne({ _id: randomUUID(), ...dead } as unknown as OutgoingCallDoc)
    const { alerts, deadCalls } = await read()
    const { version, memoryBytes, isSilent, credentials: shown } = await found()
    assert.deepEqual([version, memoryBytes > 1_000_000, isSilent, shown], ['9.9', true, false, credentials])
    assert.equal(deadCalls, 1)
    assert.ok(!JSON.stringify(alerts).includes('another app'), 'the apps of others are not named')
    const codes = alerts.map(({ code }: { code: string }) => code)
    assert.ok(codes.includes('CREDENTIALS_REFUSED') && codes.includes('CALLS_DEAD'), codes.join())
    await process.stop()
    assert.equal(await found(), undefined)
    const field = `realtime\0${node}`
    const silent = {
      service: 'realtime',
      node,
      version: '1',
      startedAtMS: 1,
      atMS: Date.now() - 60_000,
      memoryBytes: 1,
      cpu: 0,
    }
    await presence.redis.hset('{parley}:processes', field, JSON.stringify(silent))
    const reasons = (await read()).alerts.map(({ reason }: { reason: string }) => reason)
    assert.ok(reasons.some((reason: string) => reason.startsWith(`realtime ${node} has stopped`)))
    await presence.redis.hset('{parley}:processes', field, JSON.stringify({ ...silent, atMS: Date.now() - 3_600_000 }))
    assert.equal(await found(), undefined)
    assert.equal(await presence.redis.hexists('{parley}:processes', field), 0)
  })

  test('shows processes and lag only to keys with the platform permission; refuses keys without stats:read', async () => {
    const ofPlatform = await read()
    assert.ok(Array.isArray(ofPlatform.processes) && typeof ofPlatform.lag === 'object')
    const call = (apiKey: string) => gateway.anonymous('GET', '/admin/overview', undefined, { 'im-api-key': apiKey })
    const basic = await call(gateway.basicKey)
    assert.deepEqual([basic.status, basic.body.result.processes, basic.body.result.lag], [200, undefined, undefined])
    const added = await gateway.admin('POST', '/admin/keys', { name: 'rooms', scopes: ['rooms:read'] })
    assert.match((await call(added.body.result.apiKey)).body.error.message, /stats:read/)
  })
})
