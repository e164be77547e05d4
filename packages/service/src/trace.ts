import { randomUUID } from 'node:crypto'
import type { Attributes } from '@opentelemetry/api'

/**
 * Traces requests through the services (OpenTelemetry; OTLP over HTTP). The ID of a traced request ends in
 * `<trace>-<span>`, 32 and 16 hexadecimal digits. The ID is passed on with everything that the request causes, so it
 * suffices to add child spans.
 */
export interface Tracing {
  /**
   * Begins an incoming request.
   * @param given the request ID that the caller sent
   * @param traceparent the traceparent header (W3C Trace Context), if the caller is traced too
   */
  begin(name: string, from: { given?: string | undefined; traceparent?: string | undefined }): Request
  /** Starts a child span of a request. A no-op for untraced requests. */
  startSpan(name: string, kind: 'producer' | 'consumer' | 'client', request: string | undefined): Span
  /** Flushes buffered spans. */
  stop(): Promise<void>
}

export interface Span {
  /** @param error the failure, if any */
  end(attributes?: Attributes, error?: Error | string): void
  rename(name: string): void
}
export interface Request extends Span {
  id: string
  /** If false, spans of the request are no-ops. */
  isTraced: boolean
}

/** Matches the ID of a traced request, which ends with trace and span. */
export const traced = /(?:^|:)([0-9a-f]{32})-([0-9a-f]{16})$/
export const untraced: Span = { end: () => undefined, rename: () => undefined }

/**
 * Returns a caller's request ID, such as a load balancer's, if it is safe for logs and bus headers. Rejects IDs that
 * look like those of traced requests: callers must not decide what is traced.
 */
export function fitRequestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) && !traced.test(given) ? given : undefined
}

/** Traces nothing. Requests still get IDs. */
export function withoutTracing(): Tracing {
  return {
    begin: (_name, { given }) => ({ ...untraced, id: given ?? randomUUID(), isTraced: false }),
    startSpan: () => untraced,
    stop: async () => undefined,
  }
}
