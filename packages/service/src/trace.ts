import { randomUUID } from 'node:crypto'
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

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
  step(name: string, kind: keyof typeof kinds, request: string | undefined): Step
  /** Sends what is waiting. */
  stop(): Promise<void>
}

interface Step {
  /** @param error what it failed with */
  end(attributes?: Attributes, error?: Error | string): void
  rename(name: string): void
}
export interface Request extends Step {
  id: string
  /** false: its steps do nothing. */
  isTraced: boolean
}

const kinds = { producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const
const traced = /(?:^|:)([0-9a-f]{32})-([0-9a-f]{16})$/
/** W3C Trace Context, section 3.2: an ID of nothing but zeros is none. */
const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const untraced: Step = { end: () => undefined, rename: () => undefined }

/**
 * A request ID that came from outside, such as a load balancer's, if it is fit for logs and bus headers. One that ends
 * like that of a traced request is not taken: nobody outside says which steps are traced.
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

export interface TracingOptions {
  service: string
  node: string
  /** The base URL of an OTLP receiver, such as http://collector:4318. */
  endpoint: string
  /** The share of requests that is traced, where the caller has not decided. */
  ratio: number
  /** Called when the receiver did not accept spans. */
  onError: (error: Error) => void
}

export function createTracing({ service, node, endpoint, ratio, onError }: TracingOptions): Tracing {
  const exporter = new ReportingExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }, onError)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `parley-${service}`, 'service.instance.id': node }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('parley')
  return {
    begin(name, { given, traceparent }) {
      const [, traceId, spanId, flags = '00'] = traceparentForm.exec(traceparent ?? '') ?? []
      const parent =
        traceId !== undefined && spanId !== undefined ? below(traceId, spanId, parseInt(flags, 16)) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
      const context = span.spanContext()
      const isTraced = (context.traceFlags & TraceFlags.SAMPLED) !== 0
      const own = isTraced ? `${context.traceId}-${context.spanId}` : randomUUID()
      if (given === undefined) return { ...toStep(span), id: own, isTraced }
      return { ...toStep(span), id: isTraced ? `${given}:${own}` : given, isTraced }
    },
    step(name, kind, request) {
      const [, traceId, spanId] = traced.exec(request ?? '') ?? []
      if (traceId === undefined || spanId === undefined) return untraced
      return toStep(tracer.startSpan(name, { kind: kinds[kind] }, below(traceId, spanId, TraceFlags.SAMPLED)))
    },
    stop: () => provider.shutdown(),
  }
}

/** The SDK does not report failed exports. */
class ReportingExporter extends OTLPTraceExporter {
  readonly #onError: (error: Error) => void

  constructor(config: { url: string }, onError: (error: Error) => void) {
    super(config)
    this.#onError = onError
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      if (result.error) this.#onError(result.error)
      done(result)
    })
  }
}

function below(traceId: string, spanId: string, traceFlags: number) {
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function toStep(span: Span): Step {
  return {
    rename: (name) => void span.updateName(name),
    end(attributes, error) {
      if (attributes) span.setAttributes(attributes)
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : error })
      }
      span.end()
    },
  }
}
