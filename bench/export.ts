import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { startServers } from '@parley/stack/up'
import { writeNdjson } from '@parley/stack/write-ndjson'
import { Command } from 'commander'
import { startBenchService } from './bench-service.ts'
import { residentKiB } from './process-usage.ts'

const { messages, rooms } = new Command('npm run bench:export --')
  .description(
    `Measures the export of a user: its time, its size, and the memory of the gateway that writes it, whose heap is limited to 256 MB.
Goal: 300 s per million messages, at least 10 s. Exit code 1 if it is missed.`,
  )
  .option('--messages <number>', 'messages of the user', wholeNumber(1_000, 10_000_000), 1_000_000)
  .option('--rooms <number>', 'rooms that share the messages', wholeNumber(1, 100_000), 1_000)
  .parse()
  .opts<{ messages: number; rooms: number }>()

const wantedSeconds = Math.max(10, (300 * messages) / 1e6)
const user = 'writer'

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const dir = await mkdtemp(join(tmpdir(), 'parley-bench-export-'))
const { apiKey } = await makeApp(servers.mongoUrl, 'bench')
await writeNdjson(join(dir, 'import.ndjson'), importLines())
execFileSync(process.execPath, [parleyFile, 'import', join(dir, 'import.ndjson'), '--app', 'bench'], {
  env: { ...commandEnv, PARLEY_MONGO_URL: servers.mongoUrl },
  stdio: ['ignore', 'ignore', 'inherit'],
})
// An export that kept its messages in memory would run out of this heap.
const heap = { NODE_OPTIONS: '--max-old-space-size=256' }
const gateway = await startBenchService('api-gateway', servers, { PARLEY_FILES_FOLDER: join(dir, 'files'), ...heap })
const memoryMB = () => Math.round(residentKiB(gateway.pid) / 1_000)
const before = memoryMB()
const startedMS = performance.now()
const { job } = await call('POST', `/admin/clients/${user}/export`)
let maxMB = before
for (;;) {
  const { state, export: made } = await call('GET', `/admin/jobs/${job}`)
  maxMB = Math.max(maxMB, memoryMB())
  if (state === 'running') {
    await pause(200)
    continue
  }
  const seconds = (performance.now() - startedMS) / 1_000
  console.log(`${state}: ${messages} messages in ${seconds.toFixed(1)} s, ${((made?.size ?? 0) / 1e6).toFixed(1)} MB`)
  console.log(`memory of the gateway: ${before} MB before, ${maxMB} MB at most`)
  const isReached = state === 'done' && seconds <= wantedSeconds
  console.log(`goal: at most ${wantedSeconds.toFixed(1)} s; ${isReached ? 'reached' : 'missed'}`)
  process.exitCode = isReached ? 0 : 1
  break
}
await gateway.stop()
await servers.stop()
await rm(dir, { recursive: true })

function* importLines(): Generator<object> {
  yield { type: 'user', _id: user, nickname: 'Writer' }
  for (let r = 0; r < rooms; r++) {
    yield { type: 'room', _id: `room ${r}`, roomType: 'group', name: `Room ${r}` }
    yield { type: 'membership', room: `room ${r}`, user }
  }
  const sinceMS = Date.now() - 365 * 86_400_000
  for (let n = 0; n < messages; n++) {
    const about = { type: 'message', _id: `message ${n}`, room: `room ${n % rooms}`, sender: user }
    yield { ...about, createdAt: sinceMS + n, message: `message ${n} of some length`, messageType: 'text' }
  }
}

interface Answer {
  job?: string
  state?: string
  export?: { size: number }
}

async function call(method: string, path: string): Promise<Answer> {
  const url = `http://127.0.0.1:${gateway.ports['http']}${path}`
  const answer = await fetch(url, { method, headers: { 'im-api-key': apiKey } })
  return ((await answer.json()) as { result: Answer }).result
}
