import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import type { TestGateway } from '../test-gateway.ts'
import { setStored } from '../test-stored.ts'

interface Records {
  gateway: TestGateway
  room: string
  /** The room's messages. */
  ids: readonly string[]
  /** Documents of each kind. */
  many: number
}

/** Devices, calls and decisions as the push service records them, most of them on other rooms. */
export async function fillRecords({ gateway, room, ids, many }: Records): Promise<void> {
  const { db } = gateway.chat
  const at = new Date()
  await db.outgoingCalls.insertMany(
    Array.from({ length: many }, (_, i) => ({
      ...{
        _id: `hook_${i}`,
        app: gateway.app,
        kind: 'webhook' as const,
        queue: 'queue',
        target: 'http://hook',
        order: i,
        room: i % 2 ? room : 'x',
      },
      ...{
        event: 'MESSAGE',
        client: 'alice',
        data: '{}',
        state: 'done' as const,
        tries: 1,
        createdAtMS: i,
        madeAt: at,
      },
    })),
  )
  await db.outgoingCalls.insertMany(
    Array.from({ length: 20 }, (_, i) => ({
      ...{ _id: `hook_failed_${i}`, app: gateway.app, kind: 'webhook' as const, queue: 'queue', order: i, room },
      target: 'http://hook',
      ...{ event: i % 2 ? 'MESSAGE' : 'ROOM', client: 'alice', data: JSON.stringify({ _id: ids[i * 7 + 1] }) },
      ...{ state: 'failed' as const, tries: 1, createdAtMS: i, failedAt: at },
    })),
  )
  await db.devices.insertMany(
    Array.from({ length: many }, (_, i) => {
      const of = { app: gateway.app, user: `of ${i}`, userKey: key(gateway.app, `of ${i}`), device: 'phone' }
      return { _id: key(gateway.app, `of ${i}`, 'phone'), ...of, type: 'fcm' as const, token: `${i}`, updatedAt: at }
    }),
  )
  await db.pushDecisions.insertMany(
    ids.map((id) => ({ _id: key(gateway.app, id, '0'), at, users: { SENDER: ['alice'], MUTED: ['bob'] } })),
  )
  await db.reports.insertMany(
    Array.from({ length: many }, (_, i) => ({
      ...{ _id: key(gateway.app, `of ${i}`), app: gateway.app, id: `${i}`, message: `of ${i}`, room },
      ...{ roomKey: key(gateway.app, i % 2 ? room : 'x'), sender: 'alice', senderKey: key(gateway.app, 'alice') },
      ...{ messageType: 'text', messageTimeMS: 1, reporters: [], count: 0, status: 'open' as const },
      ...{ createdAtMS: i, updatedAtMS: i, expiresAt: new Date(Date.now() + 3_600_000) },
    })),
  )
  await db.scheduled.insertMany(
    Array.from({ length: many }, (_, i) => ({
      ...{ _id: key(gateway.app, `${i}`), app: gateway.app, id: `${i}`, room, sender: 'alice', content: '1' },
      ...{ senderKey: key(gateway.app, i % 2 ? 'alice' : 'x'), messageType: 'text', push: false },
      ...{ sendAtMS: Date.now() + 3_600_000 + i, nextMS: Date.now() + 3_600_000 + i, createdAtMS: 1 },
    })),
  )
  const file = { name: 'a', type: 'text/plain', size: 1 }
  await db.files.insertMany(
    Array.from({ length: 100 }, (_, i) => ({
      ...{ _id: key(gateway.app, `file ${i}`), app: gateway.app, id: `file ${i}`, ...file, secret: 's' },
      ...{ owner: 'alice', ownerKey: key(gateway.app, 'alice'), createdAtMS: 1, stored: 'x', checkAtMS: 1e15 + i },
    })),
  )
  const attached = ids.slice(1_001, 1_009)
  for (const [i, _id] of attached.entries())
    await setStored(db, _id, { attachments: [{ fileID: `file ${i}`, ...file }] })
  const pinned = ids.slice(2_101, 2_131)
  for (const _id of pinned) await setStored(db, _id, { pinned: true })
  await db.invitations.insertMany(
    Array.from({ length: many }, (_, i) => ({
      ...{ _id: key(gateway.app, `of ${i}`, 'bob'), app: gateway.app, id: newId(), room: i < 20 ? room : `of ${i}` },
      ...{ inviter: 'alice', invitee: i % 2 ? 'bob' : 'carl', createdAt: at, updatedAt: at },
    })),
  )
  await db.jobs.insertMany(
    Array.from({ length: many }, (_, i) => ({
      ...{ _id: key(gateway.app, `job ${i}`), app: gateway.app, id: `job ${i}`, createdAtMS: i, updatedAt: at },
      ...{
        kind: i % 2 ? ('batch' as const) : ('erasure' as const),
        state: i % 3 ? ('done' as const) : ('running' as const),
      },
      ...{ total: 1, done: 1, attempts: 1 },
    })),
  )
  await db.pushResults.insertMany(ids.map((id) => ({ _id: key(gateway.app, id, 'x'), at, results: [] })))
}

/** Operators of the app and, as many again, of another; each with a session. */
export async function fillOperators({ chat: { db }, app }: TestGateway, many: number): Promise<void> {
  const at = new Date()
  const later = new Date(at.getTime() + 3_600_000)
  const operators = Array.from({ length: 2 * many }, (_, i) => ({
    ...{ _id: newId(), email: `${i}@example.com`, name: 'x', version: 1, createdAt: at },
    roles: [{ app: i % 2 ? app : 'x', role: 'viewer' as const }],
  }))
  await db.operators.insertMany(operators)
  await db.operatorSessions.insertMany(
    operators.map(({ _id: operator }) => ({
      _id: newId(),
      operator,
      version: 1,
      by: 'link' as const,
      address: '::1',
      userAgent: '',
      createdAt: at,
      lastSeenAt: at,
      endsAt: later,
      expiresAt: later,
    })),
  )
}
