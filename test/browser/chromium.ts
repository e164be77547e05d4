import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
// plain.test resolves to this machine, and is no secure context.
const options = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  '--host-resolver-rules=MAP plain.test 127.0.0.1',
]

/**
 * The path of Chromium: `PARLEY_TEST_CHROMIUM`, or on PATH, since Playwright's own would need a download. Undefined if there is
 * none; its tests are skipped then.
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

/** Whether the browser tests are skipped; prints it where it would go unnoticed. */
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
