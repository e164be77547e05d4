import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell renders the same pages with less CPU, but shows no notifications. */
export type Build = 'headless shell' | 'browser'

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const names: Record<Build, readonly string[]> = {
  'headless shell': ['chromium-headless-shell', ...browsers],
  browser: browsers,
}
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
 * The path of Chromium: `PARLEY_TEST_CHROMIUM`, or the first of the build's names on PATH, since Playwright's own needs a
 * download. Without any, the browser tests are skipped.
 */
function findChromium(build: Build): string | undefined {
  const named = process.env['PARLEY_TEST_CHROMIUM']
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names[build].flatMap((name) => folders.map((folder) => join(folder, name))).find(mayRun)
}

const shared = new Map<string, Promise<Browser>>()

/** The Chromium that all tests of this process share; it ends with the process. Each page has its own profile. */
export async function startChromium(build: Build = 'headless shell'): Promise<Browser> {
  const path = findChromium(build)
  if (path === undefined) throw new Error('no Chromium on PATH')
  const running = await shared.get(path)?.catch(() => undefined)
  if (running?.isConnected()) return running
  const launched = chromium.launch({ executablePath: path, args: options, timeout: 120_000 })
  shared.set(path, launched)
  return launched
}

/** Whether to skip the browser tests; logs it if so. */
export function isChromiumMissing(build: Build = 'headless shell'): boolean {
  const isMissing = findChromium(build) === undefined
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
