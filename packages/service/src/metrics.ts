import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
} from '@prometheus-io/client'
import { traced } from './trace.ts'

export type { Counter, Gauge, Histogram }

/** Values by label value. */
type Counts = Record<string, number>

/**
 * Names follow prometheus.io/docs/practices/naming: `parley_<thing>_<unit>`, base units only; counters end in `_total`.
 */
type MetricName = `parley_${string}`

/** A process's metrics. Labels have few values, never IDs. `collect` is called at each scrape. */
export interface Metrics {
  counter<L extends string = never>(name: `${MetricName}_total`, help: string, labels?: L[]): Counter<L>
  gauge<L extends string = never>(name: MetricName, help: string, labels?: L[]): Gauge<L>
  gaugeOf(name: MetricName, help: string, collect: () => number | Promise<number>): void
  gaugesOf(name: MetricName, help: string, label: string, collect: () => Counts | Promise<Counts>): void
  /** A counter with one label. Its values are kept elsewhere and never decrease. */
  counterOf(name: `${MetricName}_total`, help: string, label: string, collect: () => Counts): void
  histogram<L extends string = never>(name: MetricName, help: string, buckets: number[], labels?: L[]): Histogram<L>
  /** A histogram of requests, with traced requests as exemplars. */
  requestHistogram<L extends string = never>(
    name: MetricName,
    help: string,
    buckets: number[],
    labels?: L[],
  ): RequestHistogram<L>
  /** The metrics of a service that shares this process. They have its name as label, and are part of each scrape. */
  of(service: string): Metrics
  /**
   * The metrics as text, and its content type: OpenMetrics with exemplars if accepted, otherwise the Prometheus text
   * format. Series have the same names in both.
   * @param accept the Accept header
   */
  scrape(accept?: string): Promise<{ text: string; contentType: string }>
}

export interface RequestHistogram<L extends string = never> {
  /** @param request the ID of the request */
  observe(labels: Partial<Record<L, string | number>>, value: number, request: string | undefined): void
}

type OpenMetricsRegistry = Registry<OpenMetricsContentType>

const openMetrics = 'application/openmetrics-text'

/**
 * Sampling intervals of the event loop in milliseconds. The library's defaults wake an idle process 110 times a second,
 * which is most of its CPU usage. The lag of an idle process reads as the first interval.
 */
const eventLoopSampling = { eventLoopMonitoringPrecision: 200, eventLoopUtilizationTimeout: 10_000 } as const

/** Creates the metrics of a process, including those of the OS process and Node.js. All have the label `service`. */
export function createMetrics(service: string): Metrics {
  const register: OpenMetricsRegistry = new Registry(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register, ...eventLoopSampling })
  return createIn(register, service, [register])
}

/** @param registries all of this process, for its scrapes */
function createIn(registry: OpenMetricsRegistry, service: string, registries: OpenMetricsRegistry[]): Metrics {
  registry.setDefaultLabels({ service })
  const registers = [registry]
  const failures = new Counter({
    name: 'parley_metric_failures_total',
    help: 'Scrapes at which a metric could not be read, such as that of a server that is away',
    labelNames: ['metric'],
    registers,
  })
  const collectInto = async (
    metric: { reset(): void },
    name: MetricName,
    collect: () => Counts | Promise<Counts>,
    record: (value: string, count: number) => void,
  ) => {
    metric.reset()
    try {
      for (const [value, count] of Object.entries(await collect())) record(value, count)
    } catch {
      failures.inc({ metric: name })
    }
  }
  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, labelNames = []) => new Gauge({ name, help, labelNames, registers }),
    gaugeOf(name, help, collect) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers,
        async collect() {
          try {
            gauge.set(await collect())
          } catch {
            // NaN for a value that cannot be read; the other metrics are still exported.
            gauge.set(Number.NaN)
            failures.inc({ metric: name })
          }
        },
      })
    },
    gaugesOf(name, help, label, collect) {
      const options = { name, help, labelNames: [label], registers }
      const gauge: Gauge<string> = new Gauge({
        ...options,
        collect: () => collectInto(gauge, name, collect, (value, count) => gauge.set({ [label]: value }, count)),
      })
    },
    counterOf(name, help, label, collect) {
      const options = { name, help, labelNames: [label], registers }
      const counter: Counter<string> = new Counter({
        ...options,
        collect: () => collectInto(counter, name, collect, (value, count) => counter.inc({ [label]: value }, count)),
      })
    },
    histogram: (name, help, buckets, labelNames = []) => new Histogram({ name, help, buckets, labelNames, registers }),
    requestHistogram: (name, help, buckets, labelNames = []) =>
      toRequestHistogram(new Histogram<string>({ name, help, buckets, labelNames, registers, enableExemplars: true })),
    of(other) {
      const another: OpenMetricsRegistry = new Registry(Registry.OPENMETRICS_CONTENT_TYPE)
      registries.push(another)
      return createIn(another, other, registries)
    },
    scrape: (accept = '') => scrape(registries, accept),
  }
}

async function scrape(registries: readonly OpenMetricsRegistry[], accept: string) {
  const text = merge(await Promise.all(registries.map((each) => each.metrics())))
  if (accept.includes(openMetrics)) return { text, contentType: Registry.OPENMETRICS_CONTENT_TYPE }
  return { text: inPrometheusFormat(text), contentType: Registry.PROMETHEUS_CONTENT_TYPE }
}

function toRequestHistogram(histogram: Histogram<string>): RequestHistogram<string> {
  return {
    observe(labels, value, request) {
      const traceId = request === undefined ? undefined : traced.exec(request)?.[1]
      histogram.observe({ labels, value, ...(traceId !== undefined && { exemplarLabels: { trace_id: traceId } }) })
    },
  }
}

/** A metric's samples must be together, also if several services have it. */
function merge(texts: readonly string[]): string {
  const families = new Map<string, string[]>()
  for (const text of texts) {
    for (const family of `\n${text}`
      .replace(/# EOF\n$/, '')
      .split('\n# HELP ')
      .slice(1)) {
      const name = family.slice(0, family.indexOf(' '))
      const lines = `# HELP ${family}`.split('\n').filter((line) => line !== '')
      const merged = families.get(name)
      if (merged) merged.push(...lines.slice(2))
      else families.set(name, lines)
    }
  }
  return `${[...families.values()].flat().join('\n')}\n# EOF\n`
}

/**
 * Converts OpenMetrics to the Prometheus text format. The library supports one format per registry, and exemplars only
 * in OpenMetrics, where names of counter families lack `_total`.
 */
function inPrometheusFormat(text: string): string {
  return text
    .replaceAll(/^# HELP (\S+) (.*)\n# TYPE \1 counter$/gm, '# HELP $1_total $2\n# TYPE $1_total counter')
    .replaceAll(/ # \{trace_id="\w+"\} \S+ \S+$/gm, '')
    .replace(/# EOF\n$/, '')
}
