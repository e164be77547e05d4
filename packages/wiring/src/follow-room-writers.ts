import type { Bus } from '@parley/bus/connect'
import { followWriters, type RoomWriters } from '@parley/bus/control/room-writers'
import type { Context } from '@parley/service/lifecycle'

/** Which gateways write which rooms, with how often they were asked to as a metric. @param self its name, and the database of its rooms */
export function followRoomWriters(
  { metrics, onStop }: Pick<Context<unknown>, 'metrics' | 'onStop'>,
  bus: Bus,
  self: { node: string; appendsIn: string },
): RoomWriters {
  const asked = metrics.counter(
    'parley_appends_asked_total',
    'Rooms whose messages another gateway was asked to append, since several send much there',
    ['outcome'],
  )
  const writers = followWriters(bus, {
    self: self.node,
    database: self.appendsIn,
    onOutcome: (outcome) => asked.inc({ outcome: typeof outcome === 'string' ? outcome : 'written' }),
  })
  onStop('room writers', () => writers.stop())
  return writers
}
