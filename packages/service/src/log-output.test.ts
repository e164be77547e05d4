import assert from 'node:assert/strict'
import { fork, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, test } from 'vitest'

/** Far more than fit into the pipe and the queue. */
const lines = 16_000

describe('a log that cannot be written', () => {
  let dir: string
  let file: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'parley-log-output-'))
    file = join(dir, 'noisy.ts')
    const from = (name: string) => JSON.stringify(join(import.meta.dirname, `${name}.ts`))
    await writeFile(
      file,
      `import { runService } from ${from('lifecycle')}
       import { sharedSettings } from ${from('shared-settings')}
       await runService({ name: 'noisy', settings: sharedSettings }, async ({ log, onStop }) => {
         const timer = setInterval(() => undefined, 1000)
         onStop('timer', () => clearInterval(timer))
         process.on('message', (count) => {
           for (let number = 0; number < count; number++) log.info({ number, pad: 'x'.repeat(1000) }, 'noise')
           process.send({ logged: count })
         })
         return {}
       })`,
    )
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  async function noisy(stdio: StdioOptions) {
    const env = {
      ...process.env,
      PARLEY_MONGO_URL: 'mongodb://h/d',
      PARLEY_NATS_URL: 'nats://h',
      PARLEY_REDIS_URL: 'redis://h',
      PARLEY_INTERNAL_PORT: '0',
    }
    const child = fork(file, [], { env, stdio })
    const [{ ready }] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    assert.ok(ready, 'the service started')
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${ready.ports.internal}${path}`)).text()
    const makeNoise = async (count: number) => {
      child.send(count)
      assert.deepEqual(await once(child, 'message').then(([message]) => message), { logged: count })
    }
    const stop = async () => {
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null])
    }
    return { child, get, makeNoise, stop }
  }

  const droppedIn = (metrics: string) => Number(/^parley_log_lines_dropped_total{[^}]*} (\d+)$/m.exec(metrics)?.[1])

  test('does not block the process while unread: lines are dropped and counted, and the count is logged later', async () => {
    const { child, get, makeNoise, stop } = await noisy(['ignore', 'pipe', 'inherit', 'ipc'])
    await makeNoise(lines)
    assert.match(await get('/livez'), /alive/)
    const dropped = droppedIn(await get('/metrics'))
    assert.ok(dropped > 0 && dropped < lines, String(dropped))
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      output += part
    })
    while (!output.includes('"msg":"log lines dropped"')) await makeNoise(1)
    // More lines can be dropped before the output is read.
    assert.ok(Number(/"lines":(\d+),"msg":"log lines dropped"/.exec(output)?.[1]) >= dropped)
    await stop()
  })

  test('does not keep a process from stopping', async () => {
    const { makeNoise, stop } = await noisy(['ignore', 'pipe', 'inherit', 'ipc'])
    await makeNoise(lines)
    await stop()
  })

  test('does not crash a process on a full disk: lines go to standard error', async () => {
    const { child, get, makeNoise, stop } = await noisy(['ignore', openSync('/dev/full', 'w'), 'pipe', 'ipc'])
    assert.ok(child.stderr)
    const stderr = text(child.stderr)
    await makeNoise(10)
    assert.match(await get('/livez'), /alive/)
    await makeNoise(10)
    await stop()
    assert.match(await stderr, /log lines go to standard error: ENOSPC[^]*"msg":"noise"[^]*"msg":"stopped"/)
  })

  test('takes no memory without end where standard error is unread too: lines are dropped and counted', async () => {
    const { get, makeNoise, stop } = await noisy(['ignore', openSync('/dev/full', 'w'), 'pipe', 'ipc'])
    await makeNoise(10)
    await makeNoise(lines)
    const dropped = droppedIn(await get('/metrics'))
    assert.ok(dropped > 0 && dropped < lines, String(dropped))
    await stop()
  })
})
