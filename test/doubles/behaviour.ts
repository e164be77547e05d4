import { setTimeout as pause } from 'node:timers/promises'

/**
 * A double's response instead of an immediate success: late, with an error, never, or by breaking the connection. `lateMS` or
 * `after` alone is a late success.
 */
export type Behaviour =
  | {
      lateMS?: number
      after?: Promise<unknown>
      status?: number
      reason?: string
      headers?: Record<string, string>
      body?: string
    }
  | 'hang'
  | 'reset'

/** Decides for each request; undefined means success. */
export type Behave<Request> = (request: Request) => Behaviour | undefined

/** Waits as chosen; returns undefined if there is no response. */
export async function actOut(
  behaviour: Behaviour | undefined,
  breakConnection: () => void,
): Promise<Exclude<Behaviour, string> | undefined> {
  if (behaviour === 'hang') return undefined
  if (behaviour === 'reset') {
    breakConnection()
    return undefined
  }
  if (behaviour?.lateMS !== undefined) await pause(behaviour.lateMS)
  await behaviour?.after
  return behaviour ?? {}
}
