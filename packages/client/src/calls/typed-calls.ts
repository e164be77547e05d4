import type { CallOptions } from './http-call.ts'

/** Operations by their contract ID. `scheduled` is the result of a call with `sendAtMS`. */
export type Operations<O> = { [Id in keyof O]: { input: object; result: unknown; scheduled?: unknown } }

export interface SendCall<O extends { input: object; result: unknown; scheduled?: unknown }> {
  (input: O['input'] & { sendAtMS: number }, options?: CallOptions): Promise<O['scheduled']>
  (input: O['input'] & { sendAtMS?: undefined }, options?: CallOptions): Promise<O['result']>
}

/** One function per operation. The input is optional if it has no required fields. */
export type TypedCalls<O extends Operations<O>> = {
  [Id in keyof O]: 'scheduled' extends keyof O[Id]
    ? SendCall<O[Id]>
    : (
        ...args: object extends O[Id]['input']
          ? [input?: O[Id]['input'], options?: CallOptions]
          : [input: O[Id]['input'], options?: CallOptions]
      ) => Promise<O[Id]['result']>
}

/** @param table the route of each operation, by its ID */
export function typedCalls<O extends Operations<O>>(
  table: Record<keyof O, string>,
  call: (route: string, input?: Record<string, unknown>, options?: CallOptions) => Promise<unknown>,
): TypedCalls<O> {
  const entries = Object.entries<string>(table).map(([id, route]) => [
    id,
    (input?: Record<string, unknown>, options?: CallOptions) => call(route, input, options),
  ])
  return Object.fromEntries(entries) as TypedCalls<O>
}
