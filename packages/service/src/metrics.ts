import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'

export type { Counter, Gauge, Histogram }

/** Names follow prometheus.io/docs/practices/naming: `parley_<what>_<unit>`, counters end in `_total`, base units only. */
type MetricName = `parley_${string}`

/**
 * A process's metrics. Label values must be few (an operation, an event, an outcome); never an ID.
 * `gauge`'s `collect` is asked at each scrape for the value of now.
 */
export interface Metrics {
  counter<L extends string = never>(name: `${MetricName}_total`, help: string, labels?: L[]): Counter<L>
  gauge<L extends string = never>(name: MetricName, help: string, labels?: L[]): Gauge<L>
  gaugeOf(name: MetricName, help: string, collect: () => number | Promise<number>): void
  histogram<L extends string = never>(name: MetricName, help: string, buckets: number[], labels?: L[]): Histogram<L>
  /** The Prometheus text format, and its content type. */
  scrape(): Promise<{ text: string; contentType: string }>
}

/** The metrics of one process, with those of the process itself and of Node.js; each carries the label `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, labelNames = []) => new Gauge({ name, help, labelNames, registers }),
    gaugeOf(name, help, collect) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers,
        async collect() {
          gauge.set(await collect())
        },
      })
    },
    histogram: (name, help, buckets, labelNames = []) => new Histogram({ name, help, buckets, labelNames, registers }),
    scrape: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  }
}
