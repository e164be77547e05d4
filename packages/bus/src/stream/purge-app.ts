import { jetstreamManager } from '@nats-io/jetstream'
import { eventStream } from '@parley/contracts/bus/streams'
import { capturedSubjects } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'

/** Deletes everything that the stream keeps of an app, so that no consumer gets it. @throws when NATS is away */
export async function purgeApp(bus: Bus, app: string): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  for (const filter of capturedSubjects(app)) await streams.purge(eventStream.name, { filter })
}
