import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import type { Platform } from '../platform.ts'

const hour = 3_600_000

export type Line = Record<string, unknown>

/** The time of the first messages in the files. */
export const begin = Date.now() - 100 * 24 * hour

export const user = (_id: string, more: Line = {}): Line => ({ type: 'user', _id, nickname: `N ${_id}`, ...more })

export const member = (room: string, name: string, more: Line = {}): Line => ({
  type: 'membership',
  room,
  user: name,
  ...more,
})

export const message = (room: string, n: number, sender: string, more: Line = {}): Line => ({
  type: 'message',
  _id: `m${n}`,
  room,
  sender,
  message: `message ${n}`,
  messageType: 'text',
  createdAt: begin + n * 1000,
  ...more,
})

/** Runs `parley import` on files in a temporary folder. */
export class Imports {
  readonly #folder = mkdtempSync(join(tmpdir(), 'import-'))
  readonly #platform: () => Platform

  constructor(platform: () => Platform) {
    this.#platform = platform
  }

  write(lines: readonly (Line | string)[]): string {
    const file = join(this.#folder, 'export.ndjson')
    writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
    return file
  }

  start(file: string, ...more: string[]) {
    return this.#run(file, ...more)
  }

  /** `parley import --abort`. */
  abort() {
    return this.#run('--abort').end
  }

  #run(...args: string[]) {
    const { servers, app } = this.#platform()
    const env = { ...commandEnv, PARLEY_MONGO_URL: servers.mongoUrl }
    const child = spawn(process.execPath, [parleyFile, 'import', ...args, '--app', app], { env })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    return { child, end: once(child, 'close').then(([code]) => ({ code: code as number | null, text })) }
  }

  run(lines: readonly (Line | string)[], ...more: string[]) {
    return this.start(this.write(lines), ...more).end
  }

  end(): void {
    rmSync(this.#folder, { recursive: true })
  }
}
