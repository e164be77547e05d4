import { Deadlines } from '../deadlines.ts'

/** The parts of a connection that its heartbeat uses. */
interface Beating {
  sendPacket(packet: string): void
  terminate(reason: string): void
}

/**
 * Server-side Engine.IO 4 heartbeats for all connections: a ping `pingIntervalMS` after the last pong, and a close if
 * there is no pong within `pingTimeoutMS`. One timer serves all connections. Without connections there is none, so an
 * idle process can sleep.
 */
export class Heartbeat<C extends Beating> {
  readonly #pingDue = new Deadlines<C>()
  readonly #pongDue = new Deadlines<C>()
  /** When connections that got an early ping were last heard. */
  readonly #heardBefore = new Map<C, number>()
  readonly #interval: number
  readonly #timeout: number
  readonly #sweepEvery: number
  #timer: NodeJS.Timeout | undefined
  #lastSweep = 0
  /** The current second, as of the last sweep. */
  second = 0

  constructor(pingIntervalMS: number, pingTimeoutMS: number) {
    this.#interval = pingIntervalMS
    this.#timeout = pingTimeoutMS
    this.#sweepEvery = Math.min(100, Math.max(10, Math.min(pingIntervalMS, pingTimeoutMS) / 20))
  }

  /** Call when a connection opens, or its pong arrives. */
  alive(connection: C): void {
    this.#pongDue.delete(connection)
    this.#heardBefore.delete(connection)
    this.#pingDue.set(connection, Math.floor(performance.now()) + this.#interval)
    if (this.#timer) return
    this.#swept(performance.now())
    this.#timer = setInterval(() => this.#sweep(), this.#sweepEvery).unref()
  }

  /** Whether the connection has timed out, even before a sweep detects it. */
  isOverdue(connection: C): boolean {
    const now = performance.now()
    const pong = this.#pongDue.get(connection)
    if (pong !== undefined) return pong <= now
    const ping = this.#pingDue.get(connection)
    return ping !== undefined && ping + this.#timeout <= now
  }

  /** When the ping went out that waits for its pong, by performance.now(); undefined if none does. */
  pingedAtMS(connection: C): number | undefined {
    const pong = this.#pongDue.get(connection)
    return pong === undefined ? undefined : pong - this.#timeout
  }

  /** Sends pings before they are due, to learn which clients answer. */
  pingAll(): void {
    const now = Math.floor(performance.now())
    this.#pingDue.expire(Number.POSITIVE_INFINITY, (connection, due) => {
      this.#heardBefore.set(connection, due - this.#interval)
      this.#pongDue.set(connection, now + this.#timeout)
      connection.sendPacket('2')
    })
  }

  /** When the connection opened or its last pong arrived, by performance.now(). */
  aliveAtMS(connection: C): number {
    const heard = this.#heardBefore.get(connection)
    if (heard !== undefined) return heard
    const ping = this.#pingDue.get(connection)
    const pong = this.#pongDue.get(connection)
    return ping === undefined ? (pong ?? 0) - this.#timeout - this.#interval : ping - this.#interval
  }

  forget(connection: C): void {
    this.#pingDue.delete(connection)
    this.#pongDue.delete(connection)
    this.#heardBefore.delete(connection)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    const now = performance.now()
    // If the process stalled, pongs can still be unread in the kernel: wait for one more sweep.
    const stalled = now - this.#lastSweep > 5 * this.#sweepEvery
    this.#swept(now)
    if (!stalled) this.#pongDue.expire(now, (connection) => connection.terminate('ping timeout'))
    this.#pingDue.expire(now, (connection, due) => {
      this.#pongDue.set(connection, due + this.#timeout)
      connection.sendPacket('2')
    })
    if (this.#pingDue.size + this.#pongDue.size === 0) this.stop()
  }

  #swept(now: number): void {
    this.#lastSweep = now
    this.second = Math.floor(now / 1000)
  }
}
