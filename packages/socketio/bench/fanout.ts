/**
 * CPU per delivered event and memory per idle connection: this package beside bare uWebSockets.js publishing the same
 * bytes to one topic. Server and load generator are processes of their own, on a core each (taskset); runs are
 * interleaved and the median of the rounds is shown. `node packages/socketio/bench/fanout.ts [sockets] [rounds]`
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from './server.ts'

const sockets = Number(process.argv[2] ?? 1000)
const rounds = Number(process.argv[3] ?? 3)
/** The command that puts a process on a core. */
const PIN = process.env['PIN'] ?? 'taskset'
const MODES = ['bare', 'socketio'] as const
const SHAPES = {
  sparse: { kind: 'publish', events: 200, burst: 1, pauseMs: Math.ceil(sockets / 50) },
  bursts: { kind: 'publish', events: 3200, burst: 32, pauseMs: Math.ceil(sockets / 20) },
} as const satisfies Record<string, Command>

function start(file: string, args: string[], core: number): ChildProcess {
  const child = fork(new URL(file, import.meta.url).pathname, args, { execArgv: ['--expose-gc'] })
  execFileSync(PIN, ['-acp', String(core), String(child.pid)], { stdio: 'ignore' })
  return child
}

async function ask<T>(child: ChildProcess, command: Command | 'bytes'): Promise<T> {
  child.send(command)
  const [answer] = (await once(child, 'message')) as [T]
  return answer
}

async function measure(mode: string): Promise<Record<string, number>> {
  const server = start('./server.ts', [mode, String(sockets)], 0)
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  const empty = await ask<{ rssBytes: number; cpuMicros: number }>(server, { kind: 'memory' })
  const readers = start('./readers.ts', [String(port), String(sockets)], 1)
  await once(readers, 'message')
  const full = await ask<{ rssBytes: number; cpuMicros: number }>(server, { kind: 'memory' })
  const result: Record<string, number> = {
    KiB: (full.rssBytes - empty.rssBytes) / sockets / 1024,
    connect: (full.cpuMicros - empty.cpuMicros) / sockets,
  }
  for (const [name, shape] of Object.entries(SHAPES)) {
    await ask(server, { ...shape, events: shape.burst * 20 })
    await ask(readers, 'bytes')
    const before = readersCpu(readers)
    const { cpuMicros, bytesPerEvent } = await ask<{ cpuMicros: number; bytesPerEvent: number }>(server, shape)
    const { bytes } = await ask<{ bytes: number }>(readers, 'bytes')
    const delivered = bytes / bytesPerEvent
    const expected = shape.events * sockets
    if (Math.abs(delivered - expected) > expected / 100) throw new Error(`${mode}: ${delivered} of ${expected} arrived`)
    result[name] = cpuMicros / expected
    result[`${name} load`] = ((readersCpu(readers) - before) * 10_000) / expected
  }
  for (const child of [readers, server]) {
    child.disconnect()
    await once(child, 'exit')
  }
  return result
}

/** CPU of the load generator so far, in ticks of 10 ms (proc(5), utime and stime). */
function readersCpu(child: ChildProcess): number {
  const fields =
    execFileSync('cat', [`/proc/${child.pid}/stat`])
      .toString()
      .split(') ')[1]
      ?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

const results: Record<string, Record<string, number>[]> = { bare: [], socketio: [] }
for (let round = 0; round < rounds; round++) for (const mode of MODES) results[mode]?.push(await measure(mode))

const median = (mode: string, name: string): number => {
  const values = (results[mode] ?? []).map((result) => result[name] ?? Number.NaN).toSorted((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? Number.NaN
}
console.log(
  `${sockets} sockets in one room, ${rounds} rounds; CPU µs per delivery and per connect, KiB of resident memory per connection`,
)
console.table(
  ['sparse', 'bursts', 'KiB', 'connect', 'sparse load', 'bursts load'].map((name) => ({
    name,
    bare: median('bare', name).toFixed(3),
    socketio: median('socketio', name).toFixed(3),
    ratio: (median('socketio', name) / median('bare', name)).toFixed(2),
  })),
)
