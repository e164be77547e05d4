import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { runEvery } from '@parley/async/run-every'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { io } from 'socket.io-client'
import { type CanaryAccess, createCanaryApi } from './canary-api.ts'

export interface CanaryParts {
  access: CanaryAccess
  node: string
  everyMS: number
  /** Where webhooks reach this process; without it, they are not tested. */
  callback?: { url: string; host: string; port: number } | undefined
  log: Logger
  metrics: CanaryMetrics
}

const steps = ['send', 'socket', 'history', 'webhook'] as const
type Step = (typeof steps)[number]
/** Messages that take longer count as lost. */
const withinMS = 10_000
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createCanaryMetrics(metrics: Metrics) {
  const help = 'Steps of canaries that failed or took over 10 s'
  return {
    took: metrics.histogram('parley_canary_seconds', 'Time from the send of a canary until a step is done', buckets, [
      'step',
    ]),
    failures: metrics.counter('parley_canary_failures_total', help, ['step']),
  }
}
type CanaryMetrics = ReturnType<typeof createCanaryMetrics>

/**
 * Sends a message over REST every few seconds and waits for it on a socket, in the history and at a webhook, as an app would,
 * until the signal aborts. It measures failures that no health check reports.
 */
export async function runCanary(parts: CanaryParts, signal: AbortSignal): Promise<void> {
  const {
    access,
    node,
    everyMS,
    callback,
    log,
    metrics: { took, failures },
  } = parts
  const tried = steps.filter((step) => step !== 'webhook' || callback)
  // Initialized to 0: alerts see no increase in a series that begins with 1.
  for (const step of tried) failures.inc({ step }, 0)
  const arrivals = createArrivals()
  const api = createCanaryApi(access, node)
  const calls = callback && (await listenForCalls(callback, log, (message) => arrivals.note('webhook', message)))
  let socket: { close(): void } | undefined

  async function endRoom(): Promise<void> {
    await api.end().catch((error: unknown) => log.warn({ err: error }, 'the room of a canary could not be deleted'))
  }

  async function prepare(): Promise<void> {
    await endRoom()
    const token = await api.prepare(callback?.url)
    socket = openSocket(access, token, (message) => arrivals.note('socket', message))
  }

  async function fly(): Promise<void> {
    if (!socket) await prepare()
    const message = `canary ${randomUUID()}`
    const startedMS = performance.now()
    let hasFailed = false
    const step = async (name: Step, work: () => Promise<unknown>) => {
      try {
        await work()
        took.observe({ step: name }, (performance.now() - startedMS) / 1_000)
      } catch (error) {
        if (signal.aborted) return
        hasFailed = true
        failures.inc({ step: name })
        log.warn({ err: error, step: name }, 'a canary did not arrive')
      }
    }
    const expected = arrivals.expect(message, tried, signal)
    await step('send', () => api.send(message))
    await Promise.all([
      step('socket', () => expected.socket),
      step('history', async () => {
        if (!(await api.history()).includes(message)) throw new Error('not in the history')
      }),
      callback && step('webhook', () => expected.webhook),
    ])
    arrivals.forget(message)
    if (!hasFailed) return
    // The token or the room may be gone: the next canary starts afresh.
    socket?.close()
    socket = undefined
  }

  const onError = (error: Error) => {
    failures.inc({ step: 'send' })
    log.warn({ err: error }, 'no canary: its app cannot be prepared; trying again')
  }
  await runEvery(everyMS, fly, { onError, signal })
  socket?.close()
  calls?.close()
  await endRoom()
}

type Arrival = 'socket' | 'webhook'

/** The arrivals of messages, by their text. */
function createArrivals() {
  const waiting = new Map<string, Record<Arrival, PromiseWithResolvers<void>>>()
  return {
    note: (by: Arrival, message: unknown) => {
      if (typeof message === 'string') waiting.get(message)?.[by].resolve()
    },
    expect(message: string, tried: readonly Step[], signal: AbortSignal): Record<Arrival, Promise<void>> {
      const one = { socket: Promise.withResolvers<void>(), webhook: Promise.withResolvers<void>() }
      waiting.set(message, one)
      const late = AbortSignal.any([signal, AbortSignal.timeout(withinMS)])
      for (const by of ['socket', 'webhook'] as const) {
        if (!tried.includes(by)) one[by].resolve()
        late.addEventListener('abort', () => one[by].reject(new Error(`not there after ${withinMS / 1_000} s`)), {
          once: true,
        })
        // Not awaited if an earlier step threw.
        one[by].promise.catch(() => undefined)
      }
      return { socket: one.socket.promise, webhook: one.webhook.promise }
    },
    forget: (message: string) => void waiting.delete(message),
  }
}

function openSocket(
  { url, clientKey }: CanaryAccess,
  token: string,
  onMessage: (message: unknown) => void,
): { close(): void } {
  const socket = io(url, { transports: ['websocket'], reconnectionDelayMax: 1_000, auth: { clientKey } })
  socket.on('connect', () => socket.emit('auth2', token, { deviceId: 'canary', clientKey }, () => undefined))
  // The client does not reconnect by itself after a disconnect by the server, such as for an expired token.
  socket.on('disconnect', (reason) => {
    if (reason === 'io server disconnect') socket.connect()
  })
  socket.on('chat message', (message: { message?: unknown }) => onMessage(message.message))
  return socket
}

/** Serves the room's webhook. */
async function listenForCalls(
  { host, port }: { host: string; port: number },
  log: Logger,
  onMessage: (message: unknown) => void,
): Promise<{ close(): void }> {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { data } = JSON.parse(await text(request)) as { data?: { message?: unknown } }
      onMessage(data?.message)
      response.end('{}')
    } catch (error) {
      log.warn({ err: error }, 'a call to the canary could not be read')
      response.writeHead(400).end()
    }
  }
  const server = createServer((request, response) => void receive(request, response)).listen(port, host)
  await once(server, 'listening')
  return server
}
