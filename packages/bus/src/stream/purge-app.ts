import { jetstreamManager } from '@nats-io/jetstream'
import { capturedSubjects } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { learnStreams } from './stream-info.ts'

/** Deletes all messages of an app from the streams, so that no consumer gets them. @throws if NATS is away */
export async function purgeApp(bus: Bus, app: string): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  await learnStreams(bus)
  for (const stream of bus.streams.names) {
    for (const filter of capturedSubjects(app)) await streams.purge(stream, { filter })
  }
}
