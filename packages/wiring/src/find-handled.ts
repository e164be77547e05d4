import type { Bus } from '@parley/bus/connect'
import type { FindHandled } from '@parley/bus/stream/stream'
import { findStream } from '@parley/bus/stream/stream-identity'
import { durableConsumers, eventStream } from '@parley/contracts/bus/streams'
import type { Db } from '@parley/db/connect'
import { findStreamState } from '@parley/db/events/stream-state'

/** Makes the function that finds the recorded position of a consumer. Positions of another stream mean nothing in this one. */
export function handledIn(db: Db, bus: Bus): FindHandled {
  return async (name) => {
    const [state, stream] = await Promise.all([findStreamState(db, eventStream.name), findStream(bus)])
    if (!state || stream?.created !== state.created) return undefined
    const seq = state.handledSeqs?.[durableConsumers[name].name]
    return seq !== undefined && seq <= stream.lastSeq ? seq : undefined
  }
}
