import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Echo {
  url: string
  stop: () => Promise<void>
}

/** Timeouts that no test reaches, even if a process stalls on a busy machine. */
export const patient = { PING_INTERVAL_MS: '60000', PING_TIMEOUT_MS: '60000', CONNECT_TIMEOUT_MS: '60000' }

/** Runs examples/echo.ts in its own process on a free port. @param times its time settings */
export async function startEcho(times: Partial<typeof patient> = {}): Promise<Echo> {
  const file = join(import.meta.dirname, '../examples/echo.ts')
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...times, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: line.toString().trim(),
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
