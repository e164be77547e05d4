import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Echo {
  url: string
  stop: () => Promise<void>
}

/** Times that nothing in a test reaches, however long one of the two processes stands still on a busy machine. */
export const patient = { PING_INTERVAL_MS: '60000', PING_TIMEOUT_MS: '60000', CONNECT_TIMEOUT_MS: '60000' }

/** Runs examples/echo.ts in a process of its own on a free port. @param times as the example takes them */
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
