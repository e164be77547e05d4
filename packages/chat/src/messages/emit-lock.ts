/** Keeps the order of a socket's emits of one kind to one room. */
export interface EmitLock {
  /**
   * Settles when all earlier emits have released their locks; undefined if they have already.
   * @throws ApiError TOO_MANY_REQUESTS if the queue is full
   */
  wait(): Promise<void> | undefined
  release(): void
}
