import { BusAway } from '@parley/bus/publish'
import { isDatabaseAway } from '@parley/db/connect'

/** Whether an error means that MongoDB or NATS is away or too slow: the caller may try again (503). */
export function isDependencyAway(error: unknown): boolean {
  return error instanceof BusAway || isDatabaseAway(error)
}
