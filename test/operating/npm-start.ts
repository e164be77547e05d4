import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../platform.ts'

const root = join(import.meta.dirname, '../..')
const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env
const started: ChildProcess[] = []

/** A running `npm start`. */
export interface Started {
  child: ChildProcess
  /** The output so far. */
  readonly text: string
  /** Resolves when it has exited. */
  end: Promise<{ code: number; text: string }>
  /** Resolves when everything runs. */
  runs(
    this: void,
  ): Promise<{ text: string; baseUrl: string; processes: number[]; pidOf(this: void, name: string): number }>
}

/** Runs `npm start` on a data directory; without a command, runs its script directly. */
export function npmStart(
  data: string,
  args: string[],
  variables: NodeJS.ProcessEnv = {},
  command = [process.execPath, 'local/src/start.ts'],
): Started {
  const [program = '', ...first] = command
  const child = spawn(program, [...first, '--data', data, ...args], { cwd: root, env: { ...env, ...variables } })
  started.push(child)
  const shown = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (shown.text += chunk.toString()))
  const end = once(child, 'close').then(([code]) => ({ code: Number(code), text: shown.text }))
  const runs = async () => {
    await eventually('npm start runs', () => shown.text.includes('Ctrl-C stops everything') || child.exitCode !== null)
    assert.equal(child.exitCode, null, shown.text)
    const pidOf = (name: string) => {
      const pid = pidsOf(child, name)[0]
      assert.ok(pid, `${name} is a child process`)
      return pid
    }
    const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(shown.text)?.[0] ?? ''
    return { text: shown.text, baseUrl, processes: descendantsOf(child.pid ?? 0), pidOf }
  }
  return {
    child,
    get text() {
      return shown.text
    },
    end,
    runs,
  }
}

/** Kills everything that a test left running. */
export async function killStarted(): Promise<void> {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** The descendants of a process whose command line or environment contains a text, such as a program or node ID. */
export function pidsOf(child: ChildProcess, name: string): number[] {
  return descendantsOf(child.pid ?? 0).filter((pid) =>
    ['cmdline', 'environ'].some((file) => readIfThere(`/proc/${pid}/${file}`).includes(name)),
  )
}

export function descendantsOf(pid: number): number[] {
  const children = readIfThere(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []
  return children.map(Number).concat(children.flatMap((child) => descendantsOf(Number(child))))
}

/** Whether a process exists. Not one that has exited and waits to be reaped, by an init of a container that never does. */
export function isRunning(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`)
  return stat !== '' && !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
}

/** Reads a file of /proc; the process may have exited since it was listed. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
