import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Fields } from '../platform.ts'
import { isRunning, killStarted, npmStart, pidsOf, type Started } from './npm-start.ts'

const apiKey = { 'im-api-key': 'demo-api-key' }

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-start-again-'))
})
afterAll(async () => {
  await killStarted()
  await rm(home, { recursive: true, force: true })
})

/** A stock client that reconnects, authenticates on each connect and records its events. */
function listen(baseUrl: string, token: string): { socket: Socket; heard: Set<string>; isIn: () => boolean } {
  const socket = io(baseUrl, { transports: ['websocket'], forceNew: true, reconnectionDelay: 100 })
  const heard = new Set<string>()
  let isIn = false
  socket.on('connect', async () => {
    const { RC } = await socket.emitWithAck('auth2', token)
    isIn = RC === 0
  })
  socket.on('disconnect', () => (isIn = false))
  socket.on('chat message', ({ _id }: { _id: string }) => void heard.add(_id))
  return { socket, heard, isIn: () => isIn }
}

/** The realtime node of a connection. Session IDs begin with its name. */
const nodeOf = (socket: Socket) => socket.io.engine.id?.split('.')[0] ?? ''

/** Kills a process and waits until another replaces it. */
async function killAndWait(started: Started, name: string, inProcess: string): Promise<void> {
  const [pid = 0] = pidsOf(started.child, inProcess)
  const since = started.text.length
  process.kill(pid, 'SIGKILL')
  await eventually(`${name} is ready again`, () => started.text.slice(since).includes(`${name}: ready again`))
  assert.match(started.text.slice(since), new RegExp(`${name} was ended by SIGKILL.* Starting it again in 0\\.5 s`))
  assert.ok(!isRunning(pid) && !pidsOf(started.child, inProcess).includes(pid), `${name} is another process`)
}

describe('npm start, after one of its processes is killed (-9),', () => {
  let shared: Started | undefined
  /** The same for all tests, unless it has ended. */
  async function running() {
    if (!shared || shared.child.exitCode !== null) {
      shared = npmStart(await mkdtemp(join(home, 'data-')), ['--port', '0', '--gateways', '2', '--realtime', '2'])
    }
    return { started: shared, ...(await shared.runs()) }
  }

  test('restarts a gateway and a realtime node, while REST and clients continue', async () => {
    const { started, baseUrl } = await running()
    const post = (path: string, body: unknown) => call(baseUrl, 'POST', path, apiKey, body)
    const { token } = (await post('/admin/clients', { _id: 'bob', issueAccessToken: true })).body.result
    const clients = Array.from({ length: 4 }, () => listen(baseUrl, String(token)))
    await eventually('all clients are in', () => clients.every(({ isIn }) => isIn()))
    assert.deepEqual(new Set(clients.map(({ socket }) => nodeOf(socket))), new Set(['realtime-1', 'realtime-2']))

    const acknowledged: string[] = []
    const failed: number[] = []
    const stop = new AbortController()
    const sending = (async () => {
      for (let i = 0; !stop.signal.aborted; i++) {
        const message = { room: 'demo-room', sender: 'alice', message: `number ${i}`, messageType: 'text' }
        const { status, body } = await post('/messages', message)
        if (status === 200) acknowledged.push(String(body.result['_id']))
        else failed.push(status)
      }
    })()
    await eventually('messages flow', () => clients.every(({ heard }) => heard.size > 5))
    await killAndWait(started, 'api-gateway-1', 'PARLEY_NODE_ID=api-gateway-1')
    await killAndWait(started, 'realtime-1', 'PARLEY_NODE_ID=realtime-1')
    const since = acknowledged.length
    await eventually('clients are back', () => clients.every(({ isIn }) => isIn()))
    await eventually('messages flow on', () => acknowledged.length > since + 20)
    stop.abort()
    await sending

    // A call in flight at the killed gateway fails. There is only one at a time.
    assert.ok(failed.length <= 1, failed.join(', '))
    const last = acknowledged.slice(-10)
    await eventually('reconnected clients get everything', () =>
      clients.every(({ heard }) => last.every((id) => heard.has(id))),
    )
    const history = await roomHistory(baseUrl, String(token))
    assert.deepEqual(
      acknowledged.filter((id) => !history.has(id)),
      [],
      'nothing acknowledged is lost',
    )
    await eventually('the new node takes connections', async () => {
      const answer = await fetch(`${baseUrl}/socket.io/?EIO=4&transport=polling`)
      assert.equal(answer.status, 200)
      return (await answer.text()).includes('"sid":"realtime-1.')
    })
    for (const { socket } of clients) socket.disconnect()
  })

  test('restarts MongoDB, NATS and Redis, and sends work afterwards', async () => {
    const { started, baseUrl } = await running()
    const servers = { MongoDB: 'mongod', NATS: 'nats-server', Redis: 'redis-server' }
    for (const [title, program] of Object.entries(servers)) await killAndWait(started, title, program)
    await eventually('a message is taken', async () => {
      const message = { room: 'demo-room', sender: 'alice', message: 'Hello', messageType: 'text' }
      return (await call(baseUrl, 'POST', '/messages', apiKey, message)).status === 200
    })
    assert.equal(started.child.exitCode, null)
  })

  test('gives up on a process that keeps dying, with the reason, and stops everything', async () => {
    const { started, processes, text } = await running()
    await eventually('it gives up', () => {
      for (const pid of pidsOf(started.child, 'PARLEY_NODE_ID=stats-1')) kill(pid)
      return started.child.exitCode !== null
    })
    const end = await started.end
    const said = end.text.slice(text.length)
    assert.equal(end.code, 1)
    const pauses = Array.from(said.matchAll(/^· stats-1 was ended by SIGKILL.* Starting it again in ([\d.]+) s$/gm))
    assert.deepEqual(
      pauses.map(([, seconds]) => seconds),
      ['0.5', '1', '2', '4', '8'],
    )
    assert.match(said, /^stats-1 was ended by SIGKILL.*\nstats-1 died 6 times in a row and is not restarted\.$/m)
    assert.doesNotMatch(said, /^\s+at /m)
    assert.deepEqual(processes.filter(isRunning), [])
  })

  test('restarts it even if the reader of its output has ended', async () => {
    const { child, runs } = npmStart(await mkdtemp(join(home, 'data-')), ['--port', '0', '--single'])
    const { pidOf } = await runs()
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    const pid = pidOf('nats-server')
    process.kill(pid, 'SIGKILL')
    await eventually('another runs', () => pidsOf(child, 'nats-server').some((other) => other !== pid))
  })
})

/** Kills a process, which may have exited already. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

/** The IDs of all messages of the demo room. */
async function roomHistory(baseUrl: string, token: string): Promise<Set<string>> {
  const ids = new Set<string>()
  const headers = { 'im-client-key': 'demo-client-key', 'im-authorization': token }
  for (let before = ''; ; ) {
    const path = `/rooms/demo-room/messages/v3?limit=500${before && `&beforeMessage=${before}`}`
    const { status, body } = await call(baseUrl, 'GET', path, headers)
    assert.equal(status, 200, JSON.stringify(body))
    const page = body.result['data'] as Fields[]
    if (page.length === 0) return ids
    for (const { _id } of page) ids.add(String(_id))
    before = String(page.at(-1)?.['_id'])
  }
}
