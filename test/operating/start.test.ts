import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDb } from '@parley/db/connect'
import { listenOnLoopback } from '@parley/stack/loopback'
import { isolatedServers } from '@parley/stack/test-servers'
import { io } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually } from '../platform.ts'
import { descendantsOf, isRunning, killStarted, npmStart } from './npm-start.ts'

/** Whether mount namespaces are allowed, which containers can deny. */
const mayMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

let home: string
let data: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-start-test-'))
  data = join(home, 'data')
})
afterEach(killStarted)
afterAll(() => rm(home, { recursive: true, force: true }))

const start = (args: string[], variables?: NodeJS.ProcessEnv, command?: string[]) =>
  npmStart(data, args, variables, command)

/** Runs the printed curl line; returns the room's seq. */
async function sendAsPrinted(text: string): Promise<number | undefined> {
  const line = /^ {2}(curl .*)$/m.exec(text)?.[1]
  assert.ok(line, text)
  return (await runCurls(line))[0]?.['seq']
}

/** Runs the curl lines of a shell script; returns their results. */
async function runCurls(script: string): Promise<Record<string, number>[]> {
  // The shell splits the lines, and the test sends the requests, since curl may be missing.
  const calls = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; printf '\\n'; }; ${script}`]).toString()
  const results = []
  for (const call of calls.trimEnd().split('\n')) {
    const words = call.split('\0')
    const given = (option: string) => words.filter((_, i) => words[i - 1] === option)
    const headers = given('-H').map((header) => header.split(': ') as [string, string])
    const answer = await fetch(words[0] ?? '', { method: 'POST', headers, body: given('-d').join('') })
    const { RC, result } = JSON.parse(await answer.text())
    assert.equal(RC, 0, `${call}: ${JSON.stringify(result)}`)
    results.push(result)
  }
  return results
}

/** The first calls of README.md, with other users and another room than the demo app has. */
function firstCalls(baseUrl: string): string {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8').split(
    '## Send your first message',
  )[1]
  const blocks = Array.from(readme?.matchAll(/```sh\n(.*?)```/gs) ?? [], ([, block = '']) => block).slice(0, 2)
  const others = { alice: 'anna', bob: 'ben', 'demo-room': 'first-room', 'http://127.0.0.1:8080': baseUrl }
  return Object.entries(others).reduce((text, [name, other]) => text.replaceAll(name, other), blocks.join('\n'))
}

/** Connects a user's socket; returns the recorded address of the login. */
async function addressOfLogin(baseUrl: string): Promise<unknown> {
  const headers = { 'im-api-key': 'demo-api-key', 'content-type': 'application/json' }
  const save = async (fields: object) => {
    const body = JSON.stringify({ _id: 'walter', ...fields })
    const answer = await fetch(`${baseUrl}/admin/clients`, { method: 'POST', headers, body })
    return JSON.parse(await answer.text()).result
  }
  const { token } = await save({ issueAccessToken: true })
  const socket = io(baseUrl, { transports: ['websocket'], forceNew: true })
  try {
    assert.equal((await socket.timeout(100_000).emitWithAck('auth2', token, {})).RC, 0)
    return await eventually('the login is noted', async () => (await save({})).address)
  } finally {
    socket.close()
  }
}

describe('npm start', () => {
  test('serves everything on one origin; its curl line sends the first message; the next start keeps the data, refuses another on it, and a kill -9 leaves nothing running', async () => {
    const first = start(['--port', '0'])
    const { text, baseUrl, processes } = await first.runs()
    for (const server of ['MongoDB', 'NATS', 'Redis']) assert.match(text, new RegExp(`${server}: (starting|from) `))
    assert.equal(await sendAsPrinted(text), 1)
    assert.equal((await runCurls(firstCalls(baseUrl))).at(-1)?.['seq'], 1)
    assert.equal((await fetch(`${baseUrl}/openapi.json`)).status, 200)
    const [, token] = /\/console#link=(ol_[\w-]{43})/.exec(text) ?? []
    const enter = () => {
      const headers = { 'content-type': 'application/json' }
      return fetch(`${baseUrl}/operator/link`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    }
    assert.deepEqual([(await enter()).status, (await enter()).status], [200, 401])
    const handshakes = await Promise.all([1, 2].map(() => fetch(`${baseUrl}/socket.io/?EIO=4&transport=polling`)))
    const nodes = await Promise.all(
      handshakes.map(async (answer) => /"sid":"(realtime-\d)\./.exec(await answer.text())?.[1]),
    )
    assert.deepEqual(new Set(nodes), new Set(['realtime-1', 'realtime-2']))
    const { port, ...address } = (await addressOfLogin(baseUrl)) as { port: number }
    assert.deepEqual(address, { family: 'IPv4', address: '127.0.0.1' })
    assert.ok(Number.isInteger(port) && port > 0)

    first.child.kill('SIGINT')
    assert.equal((await first.end).code, 0)
    assert.deepEqual(processes.filter(isRunning), [])

    const second = start(['--port', '0'])
    const { text: secondText, ...runs } = await second.runs()
    assert.equal(await sendAsPrinted(secondText), 2)
    const mongo = /^ {2}MongoDB +(mongodb:\S+)$/m
    assert.match(text, mongo)
    assert.match(text, /^ {2}NATS +nats:\/\/127\.0\.0\.1:\d+$/m)
    assert.equal(mongo.exec(secondText)?.[1], mongo.exec(text)?.[1])

    assert.ok(runs.processes.length >= 8, `${runs.processes.length} processes`)
    const third = await start(['--port', '0']).end
    assert.equal(third.code, 1)
    assertOneSentence(third.text, /Parley is running already on the data in /)
    const link = join(home, 'link')
    await symlink(home, link)
    const byLink = await npmStart(join(link, 'data'), ['--port', '0']).end
    assertOneSentence(byLink.text, /Parley is running already on the data in /)
    assert.equal((await fetch(`${runs.baseUrl}/openapi.json`)).status, 200)
    second.child.kill('SIGKILL')
    await eventually('all of it is gone', () => !runs.processes.some(isRunning))
  })

  test('--fresh starts over; --gateways and --realtime set the numbers of processes, each with metrics and health; a kill -9 of npm ends them', async () => {
    const args = ['--port', '0', '--fresh', '--gateways', '2', '--realtime', '1']
    const { child, runs } = start(args, {}, ['npm', 'start', '--ignore-scripts', '--'])
    const { text, processes } = await runs()
    assert.equal(await sendAsPrinted(text), 1)
    const internal = Array.from(text.matchAll(/(api-gateway-\d|realtime-\d|push-\d|stats-\d) (\d{4,5})\b/g))
    const names = internal.map(([, name]) => name)
    assert.deepEqual(names, ['api-gateway-1', 'api-gateway-2', 'push-1', 'realtime-1', 'stats-1'])
    for (const [, name, port] of internal) {
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200, name)
      assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /process_cpu_seconds_total/)
    }
    child.kill('SIGKILL')
    await eventually('all of it is gone', () => !processes.some(isRunning))
  })

  test('a MongoDB that is not reached is reported in one sentence', async () => {
    const servers = await isolatedServers()
    onTestFinished(() => servers.stop())
    const { code, text } = await start(['--port', '0', '--single'], {
      PARLEY_MONGO_URL: 'mongodb://127.0.0.1:1/parley?serverSelectionTimeoutMS=500',
      PARLEY_NATS_URL: servers.natsUrl,
      PARLEY_REDIS_URL: servers.redisUrl,
    }).end
    assert.equal(code, 1)
    assert.match(text, /\n\nMongoDB: connect ECONNREFUSED 127\.0\.0\.1:1 \(PARLEY_MONGO_URL\)\n/)
    assert.doesNotMatch(text, /\.ts:\d+/)
  })

  test('an existing database gets the demo keys only with --demo', async () => {
    const servers = await isolatedServers()
    onTestFinished(() => servers.stop())
    const theirs = {
      PARLEY_MONGO_URL: servers.mongoUrl,
      PARLEY_NATS_URL: servers.natsUrl,
      PARLEY_REDIS_URL: servers.redisUrl,
    }
    const withDemoKey = async ({ runs, child, end }: ReturnType<typeof start>) => {
      const { baseUrl, text } = await runs()
      const { status } = await fetch(`${baseUrl}/config`, { headers: { 'im-api-key': 'demo-api-key' } })
      child.kill('SIGTERM')
      assert.equal((await end).code, 0)
      return { status, isShown: text.includes('demo-api-key') }
    }
    const args = ['--port', '0', '--single']
    const db = await connectDb(servers.mongoUrl)
    onTestFinished(() => db.client.close())
    await db.mongo.collection('migrations').deleteMany({})
    await db.mongo.collection('restoring').insertOne({})
    const { code, text } = await start(args, theirs).end
    assert.equal(code, 1)
    assert.match(text, /\n\na restore of this database has not finished: wait for it, or run `parley restore` again\n/)
    assert.doesNotMatch(text, /\.ts:\d+/)
    await db.mongo.collection('restoring').drop()
    assert.deepEqual(await withDemoKey(start(args, theirs)), { status: 401, isShown: false })
    assert.deepEqual(await withDemoKey(start([...args, '--demo'], theirs)), { status: 200, isShown: true })
  })

  test('a port in use is reported in one sentence', async () => {
    const taken = createServer()
    const port = await listenOnLoopback(taken)
    const { code, text } = await start(['--port', `${port}`]).end
    taken.close()
    assert.equal(code, 1)
    assertOneSentence(text, new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use: .*--port ${port + 1}$`))
  })

  test('a data folder without write permission is reported in one sentence', async () => {
    const file = join(home, 'file')
    await writeFile(file, '')
    for (const [folder, args] of [
      [file, []],
      [file, ['--fresh']],
      [join(file, 'data'), []],
    ] as const) {
      const { code, text } = await npmStart(folder, ['--port', '0', ...args]).end
      assert.equal(code, 1)
      assertOneSentence(
        text,
        /^Parley cannot write to its data folder \(.*\/file.*\): a file is in the way\. Choose another with --data\./,
      )
    }
    const { code, text } = await npmStart('/proc/parley/data', ['--port', '0']).end
    assert.equal(code, 1)
    assertOneSentence(
      text,
      /^Parley cannot write to its data folder \(.*\): no folder can be created in \/proc\. Choose/,
    )
  })

  test('a missing temporary folder is reported in one sentence', async () => {
    const { code, text } = await start(['--port', '0'], { TMPDIR: join(home, 'no-tmp') }).end
    assert.equal(code, 1)
    assertOneSentence(
      text,
      /^Parley cannot use the temporary folder \(.*no-tmp\): it is missing, or .*\. Set TMPDIR to another\.$/,
    )
  })

  test.skipIf(!mayMount)('a read-only checkout is reported in one sentence', async () => {
    const mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
    const command = ['unshare', '-rm', 'sh', '-c', mounted, join(import.meta.dirname, '../..'), 'sh', 'local/start']
    const variables = { npm_config_ignore_scripts: 'false' }
    const { code, text } = await npmStart(data, ['--port', '0'], variables, command).end
    assert.equal(code, 1)
    assertOneSentence(text, /^npm start builds pages in .*, which cannot be written: .*--ignore-scripts$/)
  })

  test.skipIf(!mayMount)('a data folder that is read-only or full is reported in one sentence', async () => {
    const folder = join(home, 'mounted')
    await mkdir(folder)
    for (const [options, sentence] of [
      [
        'ro',
        /^Parley cannot write to its data folder \(.*\): the file system is read-only\. Choose another with --data\./,
      ],
      [
        'size=1m',
        /^The data folder \S+ has [01] MB of free space, but Parley needs 500 MB\. Choose another with --data\./,
      ],
      [
        'size=4k,nr_inodes=2',
        /^Parley cannot write to its data folder \(.*\): no space is left\. Choose another with --data\./,
      ],
    ] as const) {
      const mounted = ['-c', 'mount -t tmpfs -o "$0" none "$1" && shift && exec "$@"', options, folder]
      const command = ['unshare', '-rm', 'sh', ...mounted, process.execPath, 'local/src/start.ts']
      const { code, text } = await npmStart(folder, ['--port', '0'], {}, command).end
      assert.equal(code, 1)
      assertOneSentence(text, sentence)
    }
  })

  test.skipIf(!mayMount)(
    'a disk too small for the default stream size gets a smaller stream, with a notice',
    async () => {
      const folder = join(home, 'small')
      await mkdir(folder)
      const mounted = ['-c', 'mount -t tmpfs -o size=1500m none "$0" && exec "$@"', folder]
      const command = ['unshare', '-rm', 'sh', ...mounted, process.execPath, 'local/src/start.ts']
      const { child, end, runs } = npmStart(folder, ['--port', '0', '--single'], {}, command)
      const { text } = await runs()
      assert.match(text, /^· The disk is small: NATS keeps events up to 0\.\d GiB instead of 8\.0$/m)
      assert.equal(await sendAsPrinted(text), 1)
      child.kill('SIGINT')
      assert.equal((await end).code, 0)
    },
  )

  test('a missing python3, without another source of servers, is reported in one sentence', async () => {
    const bare = { PATH: join(home, 'empty'), XDG_CACHE_HOME: join(home, 'no-cache') }
    const { code, text } = await start(['--port', '0'], bare).end
    assert.equal(code, 1)
    assertOneSentence(text, /^python3 is missing/)
  })

  test('Ctrl-C during the start stops everything', async () => {
    const { child, end } = start(['--port', '0'])
    let processes: number[] = []
    await eventually('it has begun', () => (processes = descendantsOf(child.pid ?? 0)).length >= 5)
    child.kill('SIGINT')
    const { code, text } = await end
    assert.equal(code, 0)
    assert.doesNotMatch(text, /Parley runs|^\s+at /m)
    await eventually('all of it is gone', () => !processes.some(isRunning))
  })
})

/** Asserts that the output has one line besides progress, and no stack trace. */
function assertOneSentence(text: string, sentence: RegExp): void {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('· '))
  assert.equal(lines.length, 1, text)
  assert.match(lines[0] ?? '', sentence)
}
