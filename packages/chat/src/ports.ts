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
    kind: 'producer' | 'client',
    request: string | undefined,
  ): { end(attributes?: Record<string, string | number>, error?: Error): void }
}

/** One call to a server that an app names, signed with its secrets. */
export interface HookCalls {
  /** Returns the body of a 2xx response. Fails after the time limit of a call, and for every other response. */
  call(hook: { url: string; id: string; secrets: readonly string[]; body: string }): Promise<string>
  /** Reads an address, without any signature; the same limits. */
  get(url: string): Promise<string>
  /** For the metrics, and the figures of the app. */
  answered(app: string, action: string, seconds: number): void
}

/** For a process without one: no call is answered. */
export const noHookCalls: HookCalls = {
  call: () => Promise.reject(new Error('this process calls no hooks')),
  get: () => Promise.reject(new Error('this process calls no hooks')),
  answered: () => undefined,
}
