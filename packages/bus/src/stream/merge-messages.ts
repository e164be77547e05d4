/** The next message of every part is held. */
export class AllHeld<M> {
  readonly heads: readonly M[]
  constructor(heads: readonly M[]) {
    this.heads = heads
  }
}

interface MergeOrder<M> {
  isBefore: (one: M, other: M) => boolean
  /** A held message waits, while messages of other parts pass it. */
  isHeld?: (message: M) => boolean
}

/**
 * Merges several ordered sequences. Ends when all have ended. A part that waits for its next message blocks the others,
 * since that message may come first. When the next message of every part is held, yields AllHeld; continue once a
 * message is released.
 */
export async function* mergeMessages<M>(
  parts: readonly AsyncGenerator<M, void, undefined>[],
  { isBefore, isHeld = () => false }: MergeOrder<M>,
): AsyncGenerator<M | AllHeld<M>, void, undefined> {
  const [only] = parts
  if (only && parts.length === 1) return yield* heldBack(only, isHeld)
  const heads = new Map<AsyncGenerator<M, void, undefined>, M>()
  async function advance(part: AsyncGenerator<M, void, undefined>): Promise<void> {
    const { value, done } = await part.next()
    if (done) heads.delete(part)
    else heads.set(part, value)
  }
  try {
    await Promise.all(parts.map(advance))
    while (heads.size > 0) {
      const [first, ...others] = [...heads].filter(([, head]) => !isHeld(head))
      if (!first) {
        yield new AllHeld([...heads.values()])
        continue
      }
      const [part, message] = others.reduce((one, other) => (isBefore(other[1], one[1]) ? other : one), first)
      yield message
      await advance(part)
    }
  } finally {
    // A part that is still waiting ends by its own timeout.
    void Promise.allSettled(parts.map((part) => part.return()))
  }
}

async function* heldBack<M>(
  only: AsyncGenerator<M, void, undefined>,
  isHeld: (message: M) => boolean,
): AsyncGenerator<M | AllHeld<M>, void, undefined> {
  for await (const message of only) {
    while (isHeld(message)) yield new AllHeld([message])
    yield message
  }
}
