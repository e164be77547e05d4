import { randomUUID } from 'node:crypto'
import { type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type Span, type Tracing, traced, untraced } from './trace.ts'
import { version } from './version.ts'

const kinds = { producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const
/** W3C Trace Context, section 3.2: an all-zero ID is invalid. */
const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

interface TracingOptions {
  /** The resource attribute service.name. */
  service: string
  node: string
  /** The base URL of an OTLP receiver, such as http://collector:4318. */
  endpoint: string
  /** Sampling ratio of requests for which the caller has not decided. */
  ratio: number
  /** Further resource attributes. */
  attributes: Record<string, string>
  /** Called if an export fails. */
  onError: (error: Error) => void
}

export function createTracing({ service, node, endpoint, ratio, attributes, onError }: TracingOptions): Tracing {
  const exporter = new ReportingExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }, onError)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.instance.id': node,
      'service.version': version,
      ...attributes,
      'service.name': service,
    }),
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
      if (given === undefined) return { ...toSpan(span), id: own, isTraced }
      return { ...toSpan(span), id: isTraced ? `${given}:${own}` : given, isTraced }
    },
    startSpan(name, kind, request) {
      const [, traceId, spanId] = traced.exec(request ?? '') ?? []
      if (traceId === undefined || spanId === undefined) return untraced
      return toSpan(tracer.startSpan(name, { kind: kinds[kind] }, below(traceId, spanId, TraceFlags.SAMPLED)))
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

function toSpan(span: OtelSpan): Span {
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
