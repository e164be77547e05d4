import type { DemoKeys } from '@parley/local/make-app'
import { Pool } from 'undici'

type Fields = Record<string, unknown>

/** The benchmark's access to the gateway. */
export interface Api {
  url: string
  admin: Record<string, string>
  /** The request headers of the token's user. */
  headersOf(token: string): Record<string, string>
  /** Returns `result`. @throws when the status is neither 200 nor 202 */
  call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Fields>
  close(): Promise<void>
}

export function openApi(url: string, keys: DemoKeys): Api {
  const pool = new Pool(url, {
    connections: 64,
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  })
  const admin = { 'im-api-key': keys.apiKey }
  return {
    url,
    admin,
    headersOf: (token) => ({ 'im-client-key': keys.clientKey, 'im-authorization': token }),
    async call(method, path, body, headers = admin) {
      const answer = await pool.request({
        method,
        path,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200 && answer.statusCode !== 202) throw new Error(`${method} ${path}: ${text}`)
      return JSON.parse(text).result
    },
    close: () => pool.close(),
  }
}

/** Calls `make` for each number below `count`, 64 concurrently. */
export async function inParallel(count: number, make: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < count) await make(next++)
    }),
  )
}

/** Creates users `<prefix> 0`, `<prefix> 1` etc.; returns their IDs. */
export async function makeUsers(api: Api, prefix: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `${prefix} ${i}`)
  for (let i = 0; i < count; i += 1_000) {
    await api.call('POST', '/admin/clients/list', { data: ids.slice(i, i + 1_000).map((_id) => ({ _id })) })
  }
  return ids
}

/** Creates a user; returns their request headers. */
export async function makeCaller(api: Api, _id: string): Promise<Record<string, string>> {
  const { token } = await api.call('POST', '/admin/clients', { _id, issueAccessToken: true })
  return { ...api.headersOf(String(token)), 'im-client-id': _id }
}
