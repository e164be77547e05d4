/** The turn of an emit among those that it must not overtake. */
export interface Turn {
  /**
   * Settles when everything before it is over; undefined if nothing is before it.
   * @throws ApiError TOO_MANY_REQUESTS if the queue is full
   */
  come(): Promise<void> | undefined
  /** Lets the next turn begin. */
  over(): void
}
