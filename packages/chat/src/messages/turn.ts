/** The place of an emit among those that it must not overtake. */
export interface Turn {
  /**
   * Resolves when everything before it is over; undefined if nothing is before it.
   * @throws ApiError TOO_MANY_REQUESTS if the queue is full
   */
  come(): Promise<void> | undefined
  /** Lets the next one go. */
  over(): void
}
