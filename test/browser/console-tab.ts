import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { makeSignInLink } from '@parley/local/local-operator'
import type { Browser, Page } from 'playwright-core'
import type { Deployment } from '../client/client-of.ts'
import { openPage, type TabOptions } from './chat-tab.ts'
import { browserCookie, signInByLink } from './operator-cookie.ts'

/** A signed-in operator. */
export interface ConsoleOperator {
  email: string
  /** Calls the API of the deployment's app as the console does; returns status and body. */
  call: (method: string, path: string, body?: object) => Promise<{ status: number; body: Answer }>
  /** Opens a page of the console below `/console/apps/{app}`, signed in. */
  open: (path: string, options?: Omit<TabOptions, 'parameters'>) => Promise<Page>
}

interface Answer {
  result: Record<string, unknown>
  error?: { code: string; message: string }
}

export interface ConsoleOfDeployment {
  app: string
  url: string
  owner: ConsoleOperator
  /** Adds an operator with a role in the app; returns the token of their one-time link. */
  invite: (role: string) => Promise<{ email: string; link: string }>
  /** Adds an operator with a role and signs them in by their link. */
  newOperator: (role: string) => Promise<ConsoleOperator>
}

/** The console of a deployment with one app, and its owner. */
export async function consoleOf(deployment: Deployment, browser: Browser): Promise<ConsoleOfDeployment> {
  const url = `http://127.0.0.1:${deployment.front.port}`
  const first = await makeSignInLink(deployment.platform.servers.mongoUrl, url)
  const { cookie, session } = await signInByLink(url, first.slice(first.indexOf('#link=') + 6))
  const app = (session['apps'] as { app: string }[])[0]?.app ?? ''
  const operatorOf = (value: string, of: Record<string, unknown>): ConsoleOperator => ({
    email: (of['operator'] as { email: string }).email,
    call: (method, path, body) => callAs(url, app, value, String(of['csrfToken']), [method, path, body]),
    open: (path, options = {}) => {
      const at = `${url}/console/apps/${encodeURIComponent(app)}${path}`
      return openPage(browser, at, { storageState: { cookies: [browserCookie(value)], origins: [] }, ...options })
    },
  })
  const owner = operatorOf(cookie, session)
  const invite: ConsoleOfDeployment['invite'] = async (role) => {
    const email = `${role}-${Date.now()}@example.com`
    const { status, body } = await owner.call('POST', '/operators', { email, name: role, roles: [{ app, role }] })
    assert.equal(status, 200, JSON.stringify(body))
    return { email, link: String(body.result['link']) }
  }
  return {
    app,
    url,
    owner,
    invite,
    async newOperator(role) {
      const { link } = await invite(role)
      const of = await signInByLink(url, link)
      return operatorOf(of.cookie, of.session)
    },
  }
}

async function callAs(
  url: string,
  app: string,
  cookie: string,
  csrf: string,
  [method, path, body]: [string, string, object | undefined],
): Promise<{ status: number; body: Answer }> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      cookie: `parley-operator=${cookie}`,
      'parley-app': encodeURIComponent(app),
      'parley-csrf': csrf,
      'parley-reason': 'test',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer }
}

/** The code of an authenticator app for this secret (RFC 6238). */
export function totpOf(secret: string, atMS = Date.now()): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = Array.from(secret, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMS / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const at = (digest.at(-1) ?? 0) & 0xf
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
