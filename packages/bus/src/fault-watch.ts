import { setTimeout as pause } from 'node:timers/promises'
import { connect, type NodeConnectionOptions } from '@nats-io/transport-node'
import { connectFault } from './connect-fault.ts'

const pollMS = 5_000

/** Why NATS is not reached although it is there, such as an expired certificate: the client retries without telling. */
export interface FaultWatch {
  /** The cause; undefined if NATS is only away. */
  readonly fault: Error | undefined
  /** The connection is lost: looks for a cause until `ended`, by connections of its own. */
  began: () => void
  ended: () => void
  /** An attempt to connect failed. */
  failed: (error: unknown) => Promise<void>
}

/** @param onFault called once per cause */
export function createFaultWatch(
  options: NodeConnectionOptions & { servers: string[] },
  onFault: (fault: Error) => void,
): FaultWatch {
  let fault: Error | undefined
  let looking: AbortController | undefined

  async function failed(error: unknown): Promise<void> {
    const found = await connectFault(error, options)
    const before = fault?.message
    fault =
      found instanceof Error
        ? new Error(`${options.servers.join(', ')}: ${found.message}`, { cause: found })
        : undefined
    if (fault && fault.message !== before) onFault(fault)
  }

  async function look(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(pollMS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const once = connect({ ...options, reconnect: false, timeout: pollMS })
      await once.then(
        (nats) => nats.close(),
        (error: unknown) => (signal.aborted ? undefined : failed(error)),
      )
    }
  }

  return {
    get fault() {
      return fault
    },
    began() {
      if (looking) return
      looking = new AbortController()
      void look(looking.signal)
    },
    ended() {
      looking?.abort()
      looking = undefined
      fault = undefined
    },
    failed,
  }
}
