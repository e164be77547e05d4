import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs examples/echo.ts in a process of its own on a free port. */
export async function startEcho(): Promise<{ url: string; stop: () => Promise<void> }> {
  const file = new URL('../examples/echo.ts', import.meta.url)
  const child = spawn(process.execPath, [file.pathname], {
    env: { ...process.env, PORT: '0' },
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
