import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { actOut, type Behave } from './behaviour.ts'

/** One call as received by an integrator's server. */
export interface ReceivedCall {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any
  atMS: number
  status?: number
}

export interface CallbackDouble {
  url: string
  calls: ReceivedCall[]
  behave: Behave<ReceivedCall>
  stop(): Promise<void>
}

/** A double of an integrator's server, for room webhooks and PUSH_GENERIC. */
export async function startCallback(): Promise<CallbackDouble> {
  const server = createServer((request, response) => {
    void (async () => {
      const text = await readText(request)
      const { url: path = '', headers } = request
      const received: ReceivedCall = { path, headers, text, body: JSON.parse(text), atMS: Date.now() }
      double.calls.push(received)
      await answer(received, response)
      // The peer can disconnect at any time, as some tests do.
    })().catch(() => response.destroy())
  })

  async function answer(received: ReceivedCall, response: ServerResponse): Promise<void> {
    const outcome = await actOut(double.behave(received), () => response.socket?.resetAndDestroy())
    if (!outcome || response.destroyed) return
    const { status = 200, headers, body } = outcome
    received.status = status
    response.writeHead(status, headers)
    response.end(body)
  }

  const port = await listenOnLoopback(server)
  const double: CallbackDouble = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    behave: () => undefined,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return double
}
