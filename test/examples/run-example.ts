import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Deployment } from '../client/client-of.ts'
import { eventually } from '../platform.ts'
import { copyExample, examples } from './copy-example.ts'

/** Turbopack refuses packages outside the project, and Python's packages are installed once, so these run in place. */
const inPlace = new Set(['next-kit', 'python-client'])

/** A running example, started by `npm start` in a folder of its own. */
export interface RunningExample {
  child: ChildProcess
  /** The output so far. */
  text: () => string
  /** Resolves with the pattern's match in the output. */
  prints: (pattern: RegExp) => Promise<string>
  /** Writes a line to its input. */
  write: (line: string) => void
  /** Stops it with SIGINT by default; resolves when it has exited. */
  end: (signal?: NodeJS.Signals) => Promise<void>
}

/** Starts a copy of an example, outside the repository, against the deployment; stopped when the test ends. */
export function runExample(deployment: Deployment, name: string, env: NodeJS.ProcessEnv = {}): RunningExample {
  const { platform, front } = deployment
  const child = spawn('npm', ['start', '--silent'], {
    cwd: inPlace.has(name) ? join(examples, name) : copyExample(name),
    // In its own process group, so that npm, its shell and the example end together.
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      PARLEY_URL: `http://127.0.0.1:${front.port}`,
      PARLEY_API_KEY: platform.apiKey,
      WEBHOOK_SECRET: `whsec_${Buffer.from(`of ${platform.app}, not a secret`).toString('base64')}`,
      ...env,
    },
  })
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  const gone = once(child, 'close')
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const end: RunningExample['end'] = async (signal = 'SIGTERM') => {
    if (!isOver() && child.pid !== undefined) process.kill(-child.pid, signal)
    await gone
  }
  onTestFinished(() => end('SIGKILL'))
  return {
    child,
    text: () => shown,
    async prints(pattern) {
      await eventually(`${name} prints ${pattern}`, () => {
        if (isOver() && !pattern.test(shown)) throw new Error(`${name} has exited:\n${shown}`)
        return pattern.test(shown)
      })
      return pattern.exec(shown)?.[0] ?? ''
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    end,
  }
}
