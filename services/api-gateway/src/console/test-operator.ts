import { randomUUID } from 'node:crypto'
import { addOperator } from '@parley/chat/operators/manage-operators'
import type { OperatorRoles } from '@parley/contracts/resources/operator'
import type { CallApi, TestGateway } from '../test-gateway.ts'

/** A signed-in operator of a test. */
export interface TestOperator {
  id: string
  email: string
  /** The value of the header Cookie. */
  cookie: string
  csrf: string
  /** Calls in the app of the gateway, with all headers of its pages. */
  call: CallApi
}

const byTest = { actor: { actor: 'command:test' }, roles: undefined }

/** Adds an operator and returns the token of their sign-in link. */
export async function invite({ chat }: TestGateway, roles: OperatorRoles) {
  const email = `${randomUUID()}@example.com`
  const { id, link } = await addOperator({ db: chat.db, auditDays: 1 }, byTest, { email, name: 'Olivia', roles })
  return { id, email, link }
}

/** Adds an operator signed in by link. */
export async function newOperator(gateway: TestGateway, roles: OperatorRoles): Promise<TestOperator> {
  const { id, email, link } = await invite(gateway, roles)
  const { headers, body } = await gateway.anonymous('POST', '/operator/link', { token: link })
  return { id, email, ...pageOf(gateway, cookieIn(headers), body.result.csrfToken) }
}

/** The calls of a session's pages. */
export function pageOf(
  { anonymous, app }: TestGateway,
  cookie: string,
  csrf: string,
): Pick<TestOperator, 'cookie' | 'csrf' | 'call'> {
  const own = { cookie, 'parley-app': encodeURIComponent(app), 'parley-csrf': csrf }
  const call: CallApi = (method, path, body, headers = {}) => anonymous(method, path, body, { ...own, ...headers })
  return { cookie, csrf, call }
}

/** The cookies set by a response, in the form of the next request. */
export function cookieIn(headers: Headers): string {
  const set = headers.getSetCookie().map((one) => one.slice(0, one.indexOf(';')))
  return set.filter((one) => !one.endsWith('=')).join('; ')
}
