import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
// plain.test resolves to this machine, but is not a secure context.
const options = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  '--host-resolver-rules=MAP plain.test 127.0.0.1',
]

/**
 * The path of Chromium: `PARLEY_TEST_CHROMIUM`, or the one on PATH, since Playwright's own needs a download. Without any, the
 * browser tests are skipped.
 */
function findChromium(): string | undefined {
  const named = process.env['PARLEY_TEST_CHROMIUM']
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(mayRun)
}

export function startChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium on PATH')
  return chromium.launch({ executablePath, args: options, timeout: 120_000 })
}

/** Whether to skip the browser tests; logs it if so. */
export function isChromiumMissing(): boolean {
  const isMissing = findChromium() === undefined
  if (isMissing) console.log('No Chromium on PATH: skipping the browser tests')
  return isMissing
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
