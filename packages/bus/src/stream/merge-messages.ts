/** A message with its position in the stream. */
interface Positioned {
  seq: number
}

/**
 * One sequence in the order of the stream, of several that are each in that order. It ends when all have ended; one that
 * waits for its next message holds up the others, since that may come before theirs.
 */
export async function* mergeMessages<M extends Positioned>(
  parts: readonly AsyncGenerator<M, void, undefined>[],
): AsyncGenerator<M, void, undefined> {
  const [only] = parts
  if (only && parts.length === 1) return yield* only
  const heads = new Map<AsyncGenerator<M, void, undefined>, M>()
  async function advance(part: AsyncGenerator<M, void, undefined>): Promise<void> {
    const { value, done } = await part.next()
    if (done) heads.delete(part)
    else heads.set(part, value)
  }
  try {
    await Promise.all(parts.map(advance))
    for (;;) {
      const [first, ...others] = heads
      if (!first) return
      const [part, message] = others.reduce((one, other) => (other[1].seq < one[1].seq ? other : one), first)
      yield message
      await advance(part)
    }
  } finally {
    // One that waits ends when it has waited for too long.
    void Promise.allSettled(parts.map((part) => part.return()))
  }
}
