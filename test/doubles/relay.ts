import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { Webhook } from 'standardwebhooks'
import { actOut, type Behave } from './behaviour.ts'
import { localhost } from './tls.ts'

/** One push as received by the relay. */
interface RelayedPush {
  id: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into pushes of every shape
  body: any
  status?: number
}

export interface RelayDouble {
  env: Record<string, string>
  pushes: RelayedPush[]
  behave: Behave<RelayedPush>
  /** The app's webhook secret. */
  secret: string
  stop(): Promise<void>
}

/** A double of an operator's push relay, which verifies signatures (standardwebhooks.com). */
export async function startRelay(): Promise<RelayDouble> {
  const server = createServer(localhost, (request, response) => {
    // The peer can disconnect at any time, as some tests do.
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request)
    if (request.url !== '/push' || !isSigned(text, request.headers)) return void response.writeHead(401).end()
    const push: RelayedPush = { id: String(request.headers['webhook-id']), body: JSON.parse(text) }
    double.pushes.push(push)
    const outcome = await actOut(double.behave(push), () => response.socket?.destroy())
    if (!outcome || response.destroyed) return
    push.status = outcome.status ?? 202
    response.writeHead(push.status, outcome.headers).end()
  }

  function isSigned(text: string, headers: IncomingHttpHeaders): boolean {
    try {
      new Webhook(double.secret).verify(text, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }

  const port = await listenOnLoopback(server)
  const double: RelayDouble = {
    env: { PARLEY_PUSH_RELAY_URL: `https://localhost:${port}/push` },
    pushes: [],
    behave: () => undefined,
    secret: '',
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return double
}
