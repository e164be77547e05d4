import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Popups of the address bar. Chromium renders them for every window, which takes more time than the page. */
const popups = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']
/** The features that Playwright disables. A second `--disable-features` replaces the first. */
const disabled = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]
// plain.test resolves to this machine, but is not a secure context.
const options = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  `--disable-features=${[...disabled, ...popups].join(',')}`,
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

let shared: Promise<Browser> | undefined

/** The Chromium that all tests of this process share; it ends with the process. Each page has its own profile. */
export async function startChromium(): Promise<Browser> {
  const running = await shared?.catch(() => undefined)
  if (running?.isConnected()) return running
  shared = launch()
  return shared
}

function launch(): Promise<Browser> {
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
