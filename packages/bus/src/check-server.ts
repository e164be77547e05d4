import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'

/** Closes the connection if the server is unsupported. @throws if it is too old or has no JetStream */
export async function checkServer(nats: NatsConnection): Promise<void> {
  try {
    await requireSupported(nats)
  } catch (error) {
    await nats.close()
    throw error
  }
}

async function requireSupported(nats: NatsConnection): Promise<void> {
  const version = nats.info?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 2 || (major === 2 && minor < 10)) {
    throw new Error(`the server has version ${version}: Parley needs 2.10 or newer`)
  }
  const fault = payloadFault(nats)
  if (fault) throw fault
  await jetstreamManager(nats).catch((cause: unknown) => {
    if (!(cause instanceof Error && cause.name === 'JetStreamNotEnabled')) throw cause
    const remedy = 'start nats-server with --jetstream'
    throw new Error(`the server has no JetStream, or the account may not use it: ${remedy}`, { cause })
  })
}

/** NATS' default. An event with the longest message and its room must fit. */
const neededPayload = 1_048_576

/** Why the largest events of Parley do not fit into a message of this server. */
export function payloadFault({ info }: NatsConnection): Error | undefined {
  const { max_payload: max = neededPayload } = info ?? {}
  if (max >= neededPayload) return undefined
  return new Error(`the server's max_payload is ${max} bytes: Parley needs ${neededPayload} or more`)
}
