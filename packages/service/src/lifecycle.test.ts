import assert from 'node:assert/strict'
import { type ChildProcess, fork, type StdioPipe } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, test } from 'vitest'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-service-test-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const env = {
  ...process.env,
  PARLEY_MONGO_URL: 'mongodb://h/d',
  PARLEY_NATS_URL: 'nats://h',
  PARLEY_REDIS_URL: 'redis://h',
  PARLEY_INTERNAL_PORT: '0',
}

/** Runs a service as a process, with the given body of its start function. */
async function service(body: string, { variables = {}, args = [] as string[] } = {}) {
  const file = join(dir, `${Math.random()}.ts`)
  const from = (name: string) => JSON.stringify(join(import.meta.dirname, `${name}.ts`))
  await writeFile(
    file,
    `import { runService } from ${from('lifecycle')}
     import { sharedSettings } from ${from('shared-settings')}
     await runService({ name: 'test', settings: sharedSettings }, async ({ settings, log, checks, onStop, signal }) => {
       ${body}
     })`,
  )
  const pipes: ('ipc' | 'ignore' | StdioPipe)[] = ['ignore', 'pipe', 'pipe', 'ipc']
  const child = fork(file, args, { env: { ...env, ...variables }, stdio: pipes })
  assert.ok(child.stdout && child.stderr)
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const end = once(child, 'exit').then(async ([code]) => ({ code: Number(code), output: (await output).join('') }))
  return { child, end }
}

const keepRunning = `
  const timer = setInterval(() => undefined, 1000)
  signal.addEventListener('abort', () => log.info('background ends'))
  onStop('first', () => { log.info('stop first'); clearInterval(timer) })
  onStop('second', async () => { log.info('stop second') })
  return { ports: { http: 1234 } }`

async function ready(child: ChildProcess): Promise<Record<string, number>> {
  const [report] = await once(child, 'message')
  assert.ok(report.ready, JSON.stringify(report))
  return report.ready.ports
}

function messages(output: string): string[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
}

test('a service reports its ports when ready; SIGTERM stops it in reverse order with exit code 0', async () => {
  const { child, end } = await service(keepRunning)
  const ports = await ready(child)
  assert.equal(ports.http, 1234)
  assert.equal((await fetch(`http://127.0.0.1:${ports.internal}/readyz`)).status, 200)
  child.kill('SIGTERM')
  const { code, output } = await end
  assert.equal(code, 0)
  const expected = ['ready', 'stopping', 'background ends', 'stop second', 'stop first', 'stopped']
  assert.deepEqual(
    messages(output).filter((message) => expected.includes(message)),
    expected,
  )
})

test('a service ends when its parent process is gone', async () => {
  const { child, end } = await service(keepRunning)
  await ready(child)
  child.disconnect()
  const { code, output } = await end
  assert.equal(code, 0)
  assert.ok(messages(output).includes('stop first'))
})

test('an invalid setting is one sentence without a stack trace, and exit code 1', async () => {
  const { end } = await service(keepRunning, { variables: { PARLEY_INTERNAL_PORT: 'abc' } })
  const { code, output } = await end
  assert.equal(code, 1)
  assert.match(output, /^test: PARLEY_INTERNAL_PORT \("abc"\) is not usable: [^\n]*\n$/)
})

test('a port in use is one line without a stack trace, which names the settings', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { end } = await service(keepRunning, { variables: { PARLEY_INTERNAL_PORT: `${port}` } })
  const { code, output } = await end
  taken.close()
  assert.equal(code, 1)
  const { msg, reason, ...rest } = JSON.parse(output)
  assert.equal(msg, 'did not start')
  assert.match(reason, new RegExp(`EADDRINUSE.*:${port} \\(PARLEY_INTERNAL_HOST, PARLEY_INTERNAL_PORT\\)$`))
  assert.deepEqual(Object.keys(rest), ['level', 'time', 'service', 'node'])
})

test('an unknown PARLEY variable is a warning', async () => {
  const { child, end } = await service(keepRunning, { variables: { PARLEY_MONGO_ULR: 'x' } })
  await ready(child)
  child.kill('SIGTERM')
  assert.match((await end).output, /"level":40.*"variable":"PARLEY_MONGO_ULR"/)
})

test('a failed start reports its cause to the parent, stops the started parts, and exits with code 1', async () => {
  const { child, end } = await service(`onStop('begun', () => log.info('stop begun')); throw new Error('no bus')`)
  const [report] = await once(child, 'message')
  assert.deepEqual(report, { failed: 'no bus' })
  const { code, output } = await end
  assert.equal(code, 1)
  assert.ok(messages(output).includes('stop begun'))
})

test('an uncaught error is logged, stops the service in order, and exits with code 1', async () => {
  const { end } = await service(`setTimeout(() => { throw new Error('lost') }, 50); ${keepRunning}`)
  const { code, output } = await end
  assert.equal(code, 1)
  assert.match(output, /"level":60.*"lost".*uncaught error/)
  assert.ok(messages(output).includes('stop first'))
})

test('a hanging stop is cut off after the drain time, and a failed one does not prevent the others', async () => {
  const hanging = await service(`onStop('hangs', () => new Promise(() => undefined)); ${keepRunning}`, {
    variables: { PARLEY_DRAIN_MS: '100' },
  })
  await ready(hanging.child)
  hanging.child.kill('SIGTERM')
  assert.equal((await hanging.end).code, 1)

  const failing = await service(
    keepRunning.replace('return', `onStop('fails', () => { throw new Error('no') }); return`),
  )
  await ready(failing.child)
  failing.child.kill('SIGTERM')
  const { code, output } = await failing.end
  assert.equal(code, 1)
  for (const line of ['did not stop cleanly', 'stop first']) assert.ok(messages(output).includes(line), line)
})

test('--settings prints the table of all settings and starts nothing', async () => {
  const { end } = await service(`throw new Error('started')`, { args: ['--settings'] })
  const { code, output } = await end
  assert.equal(code, 0)
  assert.match(output, /\| `PARLEY_DRAIN_MS` \| `20000` \|/)
})

test('an unknown flag is one sentence with the flags there are, and exit code 1', async () => {
  const { end } = await service(`throw new Error('started')`, { args: ['--verbose'] })
  const { code, output } = await end
  assert.equal(code, 1)
  assert.match(output, /^test: Unknown option '--verbose'\. Usage: test \[--help \| [^\n]*\n$/)
})

test('--version prints the release, the same as in the root package', async () => {
  const { end } = await service('return {}', { args: ['--version'] })
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  assert.deepEqual(await end, { code: 0, output: `${version}\n` })
})
