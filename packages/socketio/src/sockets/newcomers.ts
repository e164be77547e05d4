/** No event comes later than this after it was sent. */
export const maxLateMS = 3_600_000

/** The sockets that joined a topic with a time from which on its events are for them, however late earlier ones come. */
export class Newcomers<Socket> {
  readonly #afterMS = new Map<Socket, number>()
  #newestMS = 0

  add(socket: Socket, afterMS: number): void {
    this.#afterMS.set(socket, Math.max(afterMS, this.#afterMS.get(socket) ?? 0))
    this.#newestMS = Math.max(this.#newestMS, afterMS)
  }

  delete(socket: Socket): void {
    this.#afterMS.delete(socket)
  }

  isBefore(socket: Socket, sentAtMS: number): boolean {
    return sentAtMS <= (this.#afterMS.get(socket) ?? Number.NEGATIVE_INFINITY)
  }

  /** The sockets that an event sent at this time is not for; undefined if it is later than all their times. */
  after(sentAtMS: number): Socket[] | undefined {
    if (sentAtMS > this.#newestMS) return undefined
    return [...this.#afterMS.keys()].filter((socket) => this.isBefore(socket, sentAtMS))
  }

  /** Whether no event can be older than their times any more. */
  areOld(sentAtMS: number): boolean {
    return sentAtMS > this.#newestMS + maxLateMS
  }
}
