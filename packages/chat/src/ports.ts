/** The part of a pino logger that use cases need. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The part of tracing that use cases need: spans. */
export interface Steps {
  step(
    name: string,
    kind: 'producer',
    request: string | undefined,
  ): { end(attributes?: Record<string, string | number>, error?: Error): void }
}
