/** The event of every contestant: 330 bytes as a Socket.IO text message. */
export const eventName = 'chat message'

/** Formats a time in milliseconds with three decimals, padded to a constant length. */
const written = (at: number) => at.toFixed(3).padStart(18, '0')
const textOf = (at: number, length: number) => ({ at: written(at), text: 'x'.repeat(length) })
const around = Buffer.byteLength(`42${JSON.stringify([eventName, textOf(0, 0)])}`)

/** The event's payload. @param at its scheduled time, by `now` */
export const payloadOf = (at: number) => textOf(at, 330 - around)
/** Milliseconds since 1970, the same in all processes of a machine. */
export const now = () => performance.timeOrigin + performance.now()
/** The message and the header of its frame (RFC 6455, 5.2: two bytes, and two for the length). */
export const bytesPerEvent = 330 + 4

/** Publishes `events` events to these rooms in turn, in bursts of `burst`. */
export interface Publishing {
  events: number
  burst: number
  everyMS: number
  rooms: readonly string[]
}

/** Publishes on a fixed schedule: events keep their scheduled time if the publisher falls behind, so its delay is measured too. */
export async function publishAll(
  { events, burst, everyMS, rooms }: Publishing,
  publish: (room: string, at: number) => Promise<void> | void,
): Promise<void> {
  const published: Promise<void>[] = []
  let room = 0
  let dueMS = now()
  for (let sent = 0; sent < events; sent += burst) {
    for (let i = 0; i < burst; i++) {
      const inFlight = publish(rooms[room++ % rooms.length] ?? '', dueMS)
      if (inFlight) published.push(inFlight)
    }
    dueMS += everyMS
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMS - now())))
  }
  await Promise.all(published)
}
