/** All parts have reached what holds them. */
export class AllHeld<M> {
  readonly heads: readonly M[]
  constructor(heads: readonly M[]) {
    this.heads = heads
  }
}

export interface MergeOrder<M> {
  isBefore: (one: M, other: M) => boolean
  /** A held message stays where it is, and the messages of other parts go before it. */
  isHeld?: (message: M) => boolean
}

/**
 * One sequence of several that are each in order. It ends when all have ended; one that waits for its next message holds up the
 * others, since that may come before theirs. Once every part's next message is held, it yields that instead: continue when
 * something is held no longer.
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
    // One that waits ends when it has waited for too long.
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
