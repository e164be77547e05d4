import { crc32 } from 'node:zlib'
import { NoRespondersError, RequestError } from '@nats-io/nats-core'
import { createInFlight } from '@parley/async/in-flight'
import { type AppendOutcome, appendOrder, appendReply, type RoomAppend } from '@parley/contracts/bus/appends'
import { appendsSubject, gatewaysSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { followNodes } from './living-nodes.ts'

/** A gateway that stands still holds up the sends that it was asked for so long; later nobody waits for its answer. */
export const answerWithinMS = 1_500
/** Who did not answer, or could not say what became of it, is not asked for so long. A gateway that is gone is known by then. */
const avoidedMS = 5_000

/**
 * Which gateway writes the messages of a room that several have sends for: they would stand in each other's way, and each
 * room's statement costs MongoDB the same for the sends of all. Gateways may disagree for a while, since every write proves what
 * it relies on.
 */
export interface RoomWriters {
  /** The gateway to ask; undefined when this process writes the room, or nobody is there to be asked. */
  writerOf(roomKey: string): string | undefined
  /** Asks a gateway to append; never fails. Returns one outcome per room, in order. */
  ask(writer: string, rooms: readonly RoomAppend[]): Promise<readonly AppendOutcome[]>
}

/** Of a process that writes all its messages itself. */
export const noWriters: RoomWriters = {
  writerOf: () => undefined,
  ask: () => Promise.reject(new Error('this process asks no gateway')),
}

/**
 * @param self the name of this gateway, which no other process has
 * @param database gateways of another one are not asked
 * @param onOutcome called for each room that was asked for
 */
export function followWriters(
  bus: Bus,
  { self, database, onOutcome }: { self: string; database: string; onOutcome: (outcome: AppendOutcome) => void },
): RoomWriters & { stop(): void } {
  const gateways = followNodes(bus, gatewaysSubject)
  const avoidedUntilMS = new Map<string, number>()

  function isAvoided(gateway: string): boolean {
    const isSo = (avoidedUntilMS.get(gateway) ?? 0) > performance.now()
    if (!isSo) avoidedUntilMS.delete(gateway)
    return isSo
  }

  function avoid(gateway: string): void {
    avoidedUntilMS.set(gateway, performance.now() + avoidedMS)
  }

  async function outcomesOf(writer: string, rooms: readonly RoomAppend[]): Promise<readonly AppendOutcome[]> {
    try {
      const order = JSON.stringify({ rooms })
      const message = await bus.nats.request(appendsSubject(writer), order, { timeout: answerWithinMS })
      return readPayload(message, appendReply).outcomes
    } catch (error) {
      avoid(writer)
      return rooms.map(() => (isNobodyThere(error) ? 'notWritten' : 'unknown'))
    }
  }

  return {
    writerOf(roomKey) {
      if (!bus.connected) return undefined
      const able = gateways
        .names()
        .filter((name) => gateways.get(name)?.appendsIn === database)
        .toSorted()
      // The low bits choose the lane of a room in the gateway, so that these would put all rooms of a writer into one lane.
      const writer = able[(crc32(roomKey) >>> 8) % able.length]
      // The others go on asking it, so its rooms get no other writer.
      return writer === undefined || writer === self || isAvoided(writer) ? undefined : writer
    },
    async ask(writer, rooms) {
      const outcomes = await outcomesOf(writer, rooms)
      return rooms.map((_, i) => {
        const outcome = outcomes[i] ?? 'unknown'
        if (outcome === 'unknown') avoid(writer)
        onOutcome(outcome)
        return outcome
      })
    },
    stop: () => gateways.stop(),
  }
}

/** NATS says so at once when nobody listens. */
function isNobodyThere(error: unknown): boolean {
  return error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
}

/**
 * Appends for other gateways that ask.
 * @param append fails when the outcome is not known
 */
export function appendForOthers(
  bus: Bus,
  self: string,
  append: (room: RoomAppend) => Promise<AppendOutcome>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const inFlight = createInFlight()
  const outcomeOf = (room: RoomAppend) =>
    append(room).catch((error: unknown): AppendOutcome => {
      onError(error)
      return 'unknown'
    })
  const orders = listen(bus, appendsSubject(self), (message) => {
    const { rooms } = readPayload(message, appendOrder)
    const replied = Promise.all(rooms.map(outcomeOf)).then((outcomes) => message.respond(JSON.stringify({ outcomes })))
    inFlight.add(replied).catch(onError)
  })
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    // What is on its way still gets an answer.
    if (bus.connected) await orders.drain()
    else orders.unsubscribe()
    await inFlight.drained()
  }
  return {
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}
