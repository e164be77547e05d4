import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
// plain.test is this machine, and no secure context.
const options = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  '--host-resolver-rules=MAP plain.test 127.0.0.1',
]

/**
 * Where Chromium is: `PARLEY_TEST_CHROMIUM`, or on PATH. Playwright's own would have to be downloaded from elsewhere.
 * Undefined where there is none: the tests in it are skipped.
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

/** Whether the tests in a browser are skipped: said where nobody would miss it. */
export function isChromiumMissing(): boolean {
  const isMissing = findChromium() === undefined
  if (isMissing) console.log('No Chromium on PATH: the tests of the chat page in a browser are skipped')
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
