import { setTimeout as pause } from 'node:timers/promises'

/**
 * How a double responds in place of success: late, with an error, never, or by breaking the connection. `lateMS` or `after`
 * alone is a late success.
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

/** Waits for the chosen time; returns undefined if there is to be no response. */
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
