import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'

/** Access to the canary's app, as its server and as one of its users. */
export interface CanaryAccess {
  /** Where clients reach Parley. */
  url: string
  apiKey: string
  clientKey: string
}

const withinMS = 10_000
const sender = 'canary'
/** Canary messages expire after this. */
const keptSeconds = 3_600

const issued = z.object({ result: z.object({ token: z.string() }) })
const answer = z.object({ result: z.object({ data: z.array(z.object({ message: z.unknown() })) }) })

/**
 * The canary's API calls. Each throws unless the response is a success.
 * @param node the name of this process. Each process has its own user, each run a new room: deleted rooms keep their ID
 */
export function createCanaryApi({ url, apiKey, clientKey }: CanaryAccess, node: string) {
  const reader = `canary-${createHash('sha256').update(node).digest('hex').slice(0, 16)}`
  let room: string | undefined
  let token = ''
  const byServer = { 'im-api-key': apiKey }
  const byReader = () => ({ 'im-client-key': clientKey, 'im-authorization': token, 'im-client-id': reader })

  async function call(method: string, path: string, headers: Record<string, string>, body?: object): Promise<unknown> {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(withinMS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
    return JSON.parse(text)
  }

  async function end(): Promise<void> {
    const old = room
    room = undefined
    if (old !== undefined) await call('DELETE', `/rooms/${old}`, byServer)
  }

  return {
    /**
     * Creates the users and the room if needed. Returns a new token of the reader.
     * @param webhook the room's webhook URL
     */
    async prepare(webhook: string | undefined) {
      const asUser = (_id: string) => ({ _id, nickname: 'Canary', issueAccessToken: true })
      await call('POST', '/admin/clients', byServer, asUser(sender))
      token = issued.parse(await call('POST', '/admin/clients', byServer, asUser(reader))).result.token
      const _id = `canary-${randomUUID()}`
      await call('POST', '/rooms/', byServer, { _id, roomType: 'group', members: [sender, reader], name: 'Canary' })
      room = _id
      if (webhook !== undefined) await call('PUT', `/rooms/${room}`, byServer, { webhook })
      return token
    },
    async send(message: string) {
      const about = { room, sender, messageType: 'canary', push: false, expiresInS: keptSeconds }
      await call('POST', '/messages', byServer, { ...about, message })
    },
    /** The texts of the latest messages, as the reader sees them. */
    async history() {
      const found = answer.parse(await call('GET', `/rooms/${room}/messages/v3?limit=5`, byReader()))
      return found.result.data.map(({ message }) => message)
    },
    /** Deletes the room. */
    end,
  }
}
