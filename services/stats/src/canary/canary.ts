import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { runEvery } from '@parley/async/run-every'
import { explain } from '@parley/service/explain'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { SettingsError, type SettingsOf } from '@parley/service/settings'
import { io } from 'socket.io-client'
import { statsSettings } from '../settings.ts'
import { type CanaryAccess, createCanaryApi } from './canary-api.ts'

interface CanaryParts {
  access: CanaryAccess
  node: string
  everyMS: number
  /** Where webhooks reach this process; without it, they are not tested. */
  callback?: { url: string; host: string; port: number } | undefined
  log: Logger
  metrics: CanaryMetrics
}

const steps = ['login', 'send', 'socket', 'history', 'webhook'] as const
/** Messages that take longer count as lost. */
const withinMS = 10_000
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

function createCanaryMetrics(metrics: Metrics) {
  const help = 'Steps of canaries that failed or took over 10 s'
  return {
    took: metrics.histogram(
      'parley_canary_seconds',
      'Time from the send of a canary, or the start of its login, until a step is done',
      buckets,
      ['step'],
    ),
    failures: metrics.counter('parley_canary_failures_total', help, ['step']),
  }
}
type CanaryMetrics = ReturnType<typeof createCanaryMetrics>

/**
 * Runs the canary, if configured, until the signal aborts.
 * @throws SettingsError if its keys are missing, or its address for webhooks is not usable
 */
export async function startCanary(
  { settings, log, metrics }: { settings: SettingsOf<typeof statsSettings>; log: Logger; metrics: Metrics },
  signal: AbortSignal,
): Promise<{ ended: Promise<void> } | undefined> {
  const { url, apiKey, clientKey, everyMS, callbackUrl, callbackHost: host } = settings.canary
  // Declared even without a canary: alerts refer to them.
  const ofCanary = createCanaryMetrics(metrics)
  if (url === undefined) return undefined
  if (apiKey === '' || clientKey === '') {
    throw new SettingsError(
      'PARLEY_STATS_CANARY_URL needs PARLEY_STATS_CANARY_API_KEY and PARLEY_STATS_CANARY_CLIENT_KEY',
    )
  }
  const callback =
    callbackUrl === undefined ? undefined : { url: callbackUrl, host, port: Number(new URL(callbackUrl).port || 80) }
  return runCanary(
    { access: { url, apiKey, clientKey }, node: settings.nodeId, everyMS, callback, log, metrics: ofCanary },
    signal,
  )
}

/**
 * Sends a message over REST every few seconds and waits for it on a socket, in the history and at a webhook, as an app would,
 * until the signal aborts. It measures failures that no health check reports.
 * @returns `ended`, which resolves some time after the signal aborts
 * @throws SettingsError if it cannot listen for webhooks
 */
async function runCanary(parts: CanaryParts, signal: AbortSignal): Promise<{ ended: Promise<void> }> {
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
  const calls = callback && (await listenForCalls(callback, log, (message) => arrivals.record('webhook', message)))
  let socket: CanarySocket | undefined

  async function endRoom(): Promise<void> {
    await api.end().catch((error: unknown) => log.warn({ err: error }, 'the room of a canary could not be deleted'))
  }

  async function prepare(): Promise<CanarySocket> {
    await endRoom()
    const token = await api.prepare(callback?.url)
    return openSocket(access, token, (message) => arrivals.record('socket', message))
  }

  /** @returns whether it was done */
  async function step(name: (typeof steps)[number], startedMS: number, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      took.observe({ step: name }, (performance.now() - startedMS) / 1_000)
      return true
    } catch (error) {
      if (signal.aborted) return true
      failures.inc({ step: name })
      log.warn({ err: error, step: name }, 'a canary did not arrive')
      return false
    }
  }

  async function fly(): Promise<void> {
    socket ??= await prepare()
    const { login } = socket
    // A socket that is not logged in misses the message, and says nothing about its delivery.
    const isIn = login.isDone || (await step('login', performance.now(), () => inTime(login.promise, signal)))
    const message = `canary ${randomUUID()}`
    const startedMS = performance.now()
    const expected = arrivals.expect(message, signal)
    const isSent = await step('send', startedMS, () => api.send(message))
    const arrived = await Promise.all([
      !isIn || step('socket', startedMS, () => expected.socket),
      step('history', startedMS, async () => {
        if (!(await api.history()).includes(message)) throw new Error('not in the history')
      }),
      !callback || step('webhook', startedMS, () => expected.webhook),
    ])
    arrivals.forget(message)
    if (isIn && isSent && arrived.every(Boolean)) return
    // The token or the room may be gone: the next canary starts afresh.
    socket.close()
    socket = undefined
  }

  const onError = (error: Error) => {
    failures.inc({ step: 'send' })
    log.warn({ err: error }, 'no canary: its app cannot be prepared; trying again')
  }
  async function run(): Promise<void> {
    await runEvery(everyMS, fly, { onError, signal })
    socket?.close()
    calls?.close()
    await endRoom()
  }
  return { ended: run() }
}

type Arrival = 'socket' | 'webhook'

/** The arrivals of messages, by their text. */
function createArrivals() {
  const waiting = new Map<string, Record<Arrival, PromiseWithResolvers<void>>>()
  return {
    record: (by: Arrival, message: unknown) => {
      if (typeof message === 'string') waiting.get(message)?.[by].resolve()
    },
    expect(message: string, signal: AbortSignal): Record<Arrival, Promise<void>> {
      const one = { socket: Promise.withResolvers<void>(), webhook: Promise.withResolvers<void>() }
      waiting.set(message, one)
      return { socket: inTime(one.socket.promise, signal), webhook: inTime(one.webhook.promise, signal) }
    },
    forget: (message: string) => void waiting.delete(message),
  }
}

/** Rejects if the promise is not fulfilled in time, or the signal aborts. */
function inTime(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: either, resolve, reject } = Promise.withResolvers<void>()
  const late = AbortSignal.any([signal, AbortSignal.timeout(withinMS)])
  const giveUp = () => reject(new Error(`not there after ${withinMS / 1_000} s`))
  late.addEventListener('abort', giveUp, { once: true })
  // No event comes if the signal has aborted before.
  if (signal.aborted) giveUp()
  promise.then(resolve, reject)
  // A step that is not waited for, since an earlier one failed.
  either.catch(() => undefined)
  return either
}

interface CanarySocket {
  /** Of the present connection, or of the next one. */
  readonly login: { readonly isDone: boolean; readonly promise: Promise<void> }
  close(): void
}

function openSocket(
  { url, clientKey }: CanaryAccess,
  token: string,
  onMessage: (message: unknown) => void,
): CanarySocket {
  const newLogin = () => {
    const made = { isDone: false, isSettled: false, ...Promise.withResolvers<void>() }
    // Refused after a reconnect, while nothing waits for it.
    made.promise.catch(() => undefined)
    return made
  }
  let login = newLogin()
  const socket = io(url, { transports: ['websocket'], reconnectionDelayMax: 1_000, auth: { clientKey } })
  socket.on('connect', () => {
    const mine = login
    socket.emit('auth2', token, { deviceId: 'canary', clientKey }, (answer: { RC?: unknown }) => {
      mine.isDone = answer.RC === 0
      mine.isSettled = true
      if (mine.isDone) mine.resolve()
      else mine.reject(new Error(`auth2: ${JSON.stringify(answer)}`))
    })
  })
  socket.on('disconnect', (reason) => {
    // A pending login is waited for: the next connection settles it.
    if (login.isSettled) login = newLogin()
    // The client does not reconnect by itself after a disconnect by the server, such as for an expired token.
    if (reason === 'io server disconnect') socket.connect()
  })
  socket.on('chat message', (message: { message?: unknown }) => onMessage(message.message))
  return {
    get login() {
      return login
    },
    close: () => void socket.close(),
  }
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
  const { callbackUrl, callbackHost } = statsSettings.canary
  await explain('canary', [callbackUrl, callbackHost], once(server, 'listening'))
  return server
}
