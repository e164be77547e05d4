import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'

/** Checks that a dependency works; throws or rejects if it does not. */
type Check = () => unknown

/** A dependency of a service. Without an `optional` one, the service runs with reduced function. */
export type Dependency = Check | { optional: Check }

export interface InternalServer {
  port: number
  close(): Promise<void>
}

/** Timeout of a check. A slower dependency would fail requests too. */
const checkMS = 2_000

/**
 * Serves the internal port: `/metrics`; `/livez`, 200 while the event loop runs; `/readyz`, 200 if the service accepts
 * work, otherwise 503, with `{status, failing: {<dependency>: <reason>}}`. A failing optional dependency does not make
 * the service unready: all processes share it, so no process would serve the calls that work without it. See
 * kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes.
 *
 * @param port 0 for a free port; the result has the bound port
 * @param checks by dependency name; read at each request, so entries can be added later
 * @param state read at each request: only a `running` service is ready
 */
export async function startInternalServer({
  host,
  port,
  metrics,
  checks,
  state,
}: {
  host: string
  port: number
  metrics: Metrics
  checks: Record<string, Dependency>
  state: () => 'starting' | 'running' | 'stopping'
}): Promise<InternalServer> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?')[0]
    if (path === '/metrics') {
      const { text, contentType } = await metrics.scrape(request.headers.accept)
      response.writeHead(200, { 'content-type': contentType }).end(text)
    } else if (path === '/livez') {
      json(response, 200, { status: 'alive' })
    } else if (path === '/readyz') {
      const failing = state() === 'running' ? await failingChecks(checks) : {}
      const ready = state() === 'running' && Object.keys(failing).every((name) => isOptional(checks[name]))
      json(response, ready ? 200 : 503, {
        status: ready ? 'ready' : state() === 'running' ? 'failing' : state(),
        failing,
      })
    } else {
      json(response, 404, { status: 'unknown path' })
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      json(response, 500, { status: 'failed', error: reason(error) })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

/** Exports a metric per dependency, checked at every scrape. */
export function watchDependencies(metrics: Metrics, checks: Record<string, Dependency>): void {
  metrics.gaugesOf('parley_dependency_up', '1 while the dependency responds', 'dependency', async () => {
    const failing = await failingChecks(checks)
    return Object.fromEntries(Object.keys(checks).map((name) => [name, name in failing ? 0 : 1]))
  })
}

async function failingChecks(checks: Record<string, Dependency>): Promise<Record<string, string>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, dependency]) => {
      const failure = await failureOf(typeof dependency === 'function' ? dependency : dependency.optional)
      return failure === undefined ? [] : [[name, failure] as const]
    }),
  )
  return Object.fromEntries(results.flat())
}

function isOptional(dependency: Dependency | undefined): boolean {
  return typeof dependency === 'object'
}

/** Why a check fails, or undefined if it passes in time. */
async function failureOf(check: Check): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(resolve, checkMS, `no answer within ${checkMS} ms`)
  const passes = async () => {
    await check()
    return undefined
  }
  try {
    return await Promise.race([passes(), late])
  } catch (error) {
    return reason(error)
  } finally {
    clearTimeout(timer)
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
