/** The part of a pino logger that use cases need. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The part of tracing that use cases need. */
export interface Tracing {
  startSpan(
    name: string,
    kind: 'producer' | 'client',
    request: string | undefined,
  ): { end(attributes?: Record<string, string | number>, error?: Error): void }
}

/** Calls to servers that apps configure. */
export interface HookCalls {
  /** Makes a signed call and returns the body of a 2xx response. Fails after a time limit, and for any other. */
  call(hook: { url: string; id: string; secrets: readonly string[]; body: string }): Promise<string>
  /** Reads a URL without a signature, under the same limits. */
  get(url: string): Promise<string>
  /** Counts an answer in the metrics and in the app's figures. */
  answered(app: string, action: string, seconds: number): void
}

/** For a process that makes no calls: every call fails. */
export const noHookCalls: HookCalls = {
  call: () => Promise.reject(new Error('this process calls no hooks')),
  get: () => Promise.reject(new Error('this process calls no hooks')),
  answered: () => undefined,
}
