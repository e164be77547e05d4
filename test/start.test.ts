import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')
const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env
const deadlineMs = 90_000

let home: string
let data: string
const running: ChildProcess[] = []

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-start-test-'))
  data = join(home, 'data')
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
})
after(() => rm(home, { recursive: true, force: true }))

/** `npm start` as a process, without npm unless a command says so. */
function start(args: string[], variables: NodeJS.ProcessEnv = {}, command = [process.execPath, 'local/src/start.ts']) {
  const [program = '', ...first] = command
  const child = spawn(program, [...first, '--data', data, ...args], { cwd: root, env: { ...env, ...variables } })
  running.push(child)
  const shown = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (shown.text += chunk.toString()))
  const end = once(child, 'close').then(([code]) => ({ code: Number(code), text: shown.text }))
  const runs = async () => {
    await until(
      () => shown.text.includes('Ctrl-C stops everything') || child.exitCode !== null,
      () => shown.text,
    )
    assert.equal(child.exitCode, null, shown.text)
    const processes = descendantsOf(child.pid ?? 0)
    const pidOf = (name: string) => {
      const pid = processes.find((candidate) => readFileSync(`/proc/${candidate}/cmdline`, 'utf8').includes(name))
      assert.ok(pid, `${name} is a child process`)
      return pid
    }
    return { text: shown.text, baseUrl: /http:\/\/127\.0\.0\.1:\d+/.exec(shown.text)?.[0] ?? '', processes, pidOf }
  }
  return { child, end, runs }
}

/** Sends the message of the printed curl line and answers the room's seq. */
async function sendAsPrinted(text: string): Promise<number> {
  const line = /^ {2}(curl .*)$/m.exec(text)?.[1]
  assert.ok(line, text)
  // The shell splits the line; what curl would do with the words is done here, because a bare machine has no curl.
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`])
    .toString()
    .split('\0')
  const given = (option: string) => words.filter((_, i) => words[i - 1] === option)
  const headers = given('-H').map((header) => header.split(': ') as [string, string])
  const answer = await fetch(words[0] ?? '', { method: 'POST', headers, body: given('-d').join('') })
  const { RC, result } = JSON.parse(await answer.text())
  assert.equal(RC, 0, JSON.stringify(result))
  return result.seq
}

describe('npm start', () => {
  test('answers on one origin, its curl line sends the first message, and a second start keeps the data', async () => {
    const first = start(['--port', '0'])
    const { text, baseUrl, processes } = await first.runs()
    for (const server of ['MongoDB', 'NATS', 'Redis']) assert.match(text, new RegExp(`${server}: (starting|from) `))
    assert.equal(await sendAsPrinted(text), 1)
    assert.equal((await fetch(`${baseUrl}/openapi.json`)).status, 200)
    const handshakes = await Promise.all([1, 2].map(() => fetch(`${baseUrl}/socket.io/?EIO=4&transport=polling`)))
    const nodes = await Promise.all(
      handshakes.map(async (answer) => /"sid":"(realtime-\d)\./.exec(await answer.text())?.[1]),
    )
    assert.deepEqual(new Set(nodes), new Set(['realtime-1', 'realtime-2']))

    first.child.kill('SIGINT')
    assert.equal((await first.end).code, 0)
    assert.deepEqual(processes.filter(isRunning), [])

    const second = start(['--port', '0'])
    assert.equal(await sendAsPrinted((await second.runs()).text), 2)
    second.child.kill('SIGTERM')
    assert.equal((await second.end).code, 0)
  })

  test('--fresh begins anew, --gateways and --realtime run that many, each with metrics and health of its own', async () => {
    const { child, end, runs } = start(['--port', '0', '--fresh', '--gateways', '2', '--realtime', '1'])
    const { text } = await runs()
    assert.equal(await sendAsPrinted(text), 1)
    const internal = Array.from(text.matchAll(/(api-gateway-\d|realtime-\d|push-\d|stats-\d) (\d{4,5})\b/g))
    const names = internal.map(([, name]) => name)
    assert.deepEqual(names, ['api-gateway-1', 'api-gateway-2', 'push-1', 'realtime-1', 'stats-1'])
    for (const [, name, port] of internal) {
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200, name)
      assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /process_cpu_seconds_total/)
    }
    child.kill('SIGINT')
    assert.equal((await end).code, 0)
  })

  test('a second one on the same data is told so, and the first goes on', async () => {
    const first = start(['--port', '0'])
    const { baseUrl } = await first.runs()
    const { code, text } = await start(['--port', '0']).end
    assert.equal(code, 1)
    assertOneSentence(text, /Parley is running already on the data in /)
    assert.equal((await fetch(`${baseUrl}/openapi.json`)).status, 200)
  })

  test('a port in use is one clear sentence', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { code, text } = await start(['--port', `${port}`]).end
    taken.close()
    assert.equal(code, 1)
    assertOneSentence(text, new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use: .*--port ${Number(port) + 1}$`))
  })

  test('a missing python3, where nothing else has the servers, is one clear sentence', async () => {
    const bare = { PATH: join(home, 'empty'), XDG_CACHE_HOME: join(home, 'no-cache') }
    const { code, text } = await start(['--port', '0'], bare).end
    assert.equal(code, 1)
    assertOneSentence(text, /^python3 is missing/)
  })

  for (const [name, program] of [
    ['MongoDB', 'mongod'],
    ['NATS', 'nats-server'],
    ['Redis', 'redis-server'],
    ['realtime-\\d', 'services/realtime/src/main.ts'],
  ] as const) {
    test(`${program} that is killed ends everything with one sentence`, async () => {
      const { end, runs } = start(['--port', '0'])
      const { processes, pidOf } = await runs()
      process.kill(pidOf(program), 'SIGKILL')
      const { code, text } = await end
      assert.equal(code, 1)
      assert.match(text, new RegExp(`^${name} was ended by SIGKILL.*$`, 'm'))
      assert.doesNotMatch(text, /^\s+at /m)
      assert.deepEqual(processes.filter(isRunning), [])
    })
  }

  test('kill -9 of it leaves nothing running', async () => {
    const { child, runs } = start(['--port', '0'])
    const { processes } = await runs()
    assert.ok(processes.length >= 8, `${processes.length} processes`)
    child.kill('SIGKILL')
    await until(() => !processes.some(isRunning))
  })

  test('kill -9 of npm leaves nothing running', async () => {
    const { child, runs } = start(['--port', '0'], {}, ['npm', 'start', '--ignore-scripts', '--'])
    const { processes } = await runs()
    child.kill('SIGKILL')
    await until(() => !processes.some(isRunning))
  })

  test('Ctrl-C during the start stops what has been started', async () => {
    const { child, end } = start(['--port', '0'])
    let processes: number[] = []
    await until(() => (processes = descendantsOf(child.pid ?? 0)).length >= 5)
    child.kill('SIGINT')
    const { code, text } = await end
    assert.equal(code, 0)
    assert.doesNotMatch(text, /Parley runs|^\s+at /m)
    await until(() => !processes.some(isRunning))
  })
})

/** The only line besides progress, and no stack trace. */
function assertOneSentence(text: string, sentence: RegExp): void {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('· '))
  assert.equal(lines.length, 1, text)
  assert.match(lines[0] ?? '', sentence)
}

function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  return children.map(Number).concat(children.flatMap((child) => descendantsOf(Number(child))))
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

async function until(condition: () => boolean, seen: () => string = () => ''): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!condition()) {
    assert.ok(Date.now() < deadline, `not within ${deadlineMs / 1_000} s: ${condition.toString()} ${seen()}`)
    await sleep(20)
  }
}
