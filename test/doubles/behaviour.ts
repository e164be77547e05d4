import { setTimeout as pause } from 'node:timers/promises'

/**
 * How a double responds when it does not succeed: late, with an error, never, or by breaking the connection.
 * `lateMS` or `after` alone is a good answer that is late.
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

/** Decides for each request; undefined: as all is well. */
export type Behave<Request> = (request: Request) => Behaviour | undefined

/** Waits for the chosen time; returns undefined when there is to be no response. */
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
