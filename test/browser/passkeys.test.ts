import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { openPage } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { type ConsoleOfDeployment, consoleOf } from './console-tab.ts'

/** Chromium logs error responses: those without a session, and that of the refused passkey. */
const refused = /status of 401/

describe.skipIf(isChromiumMissing())('passkeys in the console', () => {
  let browser: Browser
  let deployment: Deployment
  let parley: ConsoleOfDeployment
  let url: string
  beforeAll(async () => {
    ;[browser, deployment] = await Promise.all([startChromium(), deploy(1)])
    parley = await consoleOf(deployment, browser)
    // Passkeys need a domain, not an IP address.
    url = parley.url.replace('127.0.0.1', 'localhost')
  })
  afterAll(() => deployment.stop())

  /** Adds a virtual authenticator that always verifies the user. */
  async function addAuthenticator(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    })
  }

  test('an operator adds a passkey, signs in by it, renames and removes it, and is then refused', async () => {
    const { link } = await parley.invite('viewer')
    const page = await openPage(browser, `${url}/console#link=${link}`, { allow: refused })
    await addAuthenticator(page)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await button('Sign in with this link').click()
    await page.getByRole('link', { name: 'viewer' }).click()
    await page.getByRole('textbox', { name: 'Passkey name' }).fill('Laptop')
    await button('Add a passkey').click()
    const listed = page.getByRole('list', { name: 'Passkeys' })
    await listed.getByText('Laptop').waitFor()
    const signInAgain = async () => {
      await page.context().clearCookies()
      await page.reload()
      await button('Sign in with a passkey').click()
    }
    await signInAgain()
    await page.getByText('By passkey').waitFor()
    await listed.getByText('Last used').waitFor()
    await button('Rename').click()
    await page.getByRole('textbox', { name: 'New name' }).fill('Old laptop')
    await button('Confirm').click()
    await listed.getByText('Old laptop').waitFor()
    await listed.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog', { name: 'Remove this passkey?' }).getByRole('button', { name: 'Remove' }).click()
    await listed.waitFor({ state: 'detached' })
    await signInAgain()
    await page.getByText('does not belong to an operator').waitFor()
    assert.equal((await page.context().cookies()).length, 0)
  })
})
