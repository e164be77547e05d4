import { randomUUID } from 'node:crypto'
import type { Attributes } from '@opentelemetry/api'

/**
 * Follows requests through the services (OpenTelemetry; OTLP over HTTP). A traced request's ID, which travels with
 * everything it causes and stands in every log line of its way, ends in `<trace>-<span>` as 32 and 16 hexadecimal
 * digits. So the ID alone is enough to add a span below it.
 */
export interface Tracing {
  /**
   * A request comes from outside.
   * @param given an ID that it brought
   * @param traceparent the header of that name (W3C Trace Context), when the caller is traced too
   */
  begin(name: string, from: { given?: string | undefined; traceparent?: string | undefined }): Request
  /** A step on a request's way; does nothing for a request that is not traced. */
  step(name: string, kind: 'producer' | 'consumer' | 'client', request: string | undefined): Step
  /** Flushes buffered spans. */
  stop(): Promise<void>
}

export interface Step {
  /** @param error the error of the work, if it failed */
  end(attributes?: Attributes, error?: Error | string): void
  rename(name: string): void
}
export interface Request extends Step {
  id: string
  /** false: its steps do nothing. */
  isTraced: boolean
}

/** How the ID of a traced request ends: trace and span. */
export const traced = /(?:^|:)([0-9a-f]{32})-([0-9a-f]{16})$/
export const untraced: Step = { end: () => undefined, rename: () => undefined }

/**
 * A request ID from outside, such as a load balancer's, if it is safe for logs and bus headers. One that ends like the
 * ID of a traced request is refused: callers must not decide which steps are traced.
 */
export function fitRequestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) && !traced.test(given) ? given : undefined
}

/** Traces nothing; requests have IDs all the same. */
export function withoutTracing(): Tracing {
  return {
    begin: (_name, { given }) => ({ ...untraced, id: given ?? randomUUID(), isTraced: false }),
    step: () => untraced,
    stop: async () => undefined,
  }
}
