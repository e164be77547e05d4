import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Deployment } from '../client/client-of.ts'
import { eventually } from '../platform.ts'

const root = join(import.meta.dirname, '../..')

/** An example as a user runs it: `npm start` in its folder. */
export interface RunningExample {
  child: ChildProcess
  /** Its output so far. */
  text: () => string
  /** Settles with what the pattern matches in the output. */
  prints: (pattern: RegExp) => Promise<string>
  /** Types a line. */
  write: (line: string) => void
  /** Ends it as a user does, or kills it; settles when it is gone. */
  end: (signal?: NodeJS.Signals) => Promise<void>
}

/** Starts an example against the deployment; it ends with the test. */
export function runExample(deployment: Deployment, name: string, env: NodeJS.ProcessEnv = {}): RunningExample {
  const { platform, front } = deployment
  const child = spawn('npm', ['start', '--silent', '--prefix', join('examples', name)], {
    cwd: root,
    // A group of its own: npm, its shell and the example end together.
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
        if (isOver() && !pattern.test(shown)) throw new Error(`${name} has ended:\n${shown}`)
        return pattern.test(shown)
      })
      return pattern.exec(shown)?.[0] ?? ''
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    end,
  }
}
