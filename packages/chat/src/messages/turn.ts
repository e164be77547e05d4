/** The place of what is being sent among what it must not overtake, nor be overtaken by. */
export interface Turn {
  /**
   * Settles when everything before it is over; undefined when it is.
   * @throws ApiError TOO_MANY_REQUESTS when too much waits already
   */
  come(): Promise<void> | undefined
  /** What comes after it may follow. */
  over(): void
}
