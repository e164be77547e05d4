/** Histogram bounds in milliseconds. The last bucket also has slower answers. */
const boundsMS = [5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 5_000, 10_000] as const

/** `unanswered`: a call failed, or none was made while the breaker was open. */
const actions = ['allow', 'mask', 'refuse', 'unanswered'] as const
export interface ModerationFigures extends Record<(typeof actions)[number], number> {
  /** Upper bound of the 50th percentile; absent without answers. */
  p50MS?: number
  p99MS?: number
}

/** The field that counts an answer, with its duration rounded up to a bound. */
export function moderationField(action: string, seconds: number): `moderation ${string} ${number}` {
  const bound = boundsMS.find((max) => seconds * 1_000 <= max) ?? boundsMS.at(-1) ?? 0
  return `moderation ${action} ${bound}`
}

/** Sums these fields over periods. Percentiles are histogram bounds, and exclude missing answers. */
export function moderationFigures(periods: readonly Readonly<Record<string, string>>[]): ModerationFigures {
  const counts = { allow: 0, mask: 0, refuse: 0, unanswered: 0 }
  const answered = new Map<number, number>()
  for (const [name, value] of periods.flatMap((fields) => Object.entries(fields))) {
    const [, found, bound] = /^moderation (\w+) (\d+)$/.exec(name) ?? []
    const action = actions.find((each) => each === found)
    if (action === undefined) continue
    counts[action] += Number(value)
    if (action !== 'unanswered') answered.set(Number(bound), (answered.get(Number(bound)) ?? 0) + Number(value))
  }
  const [p50MS, p99MS] = [percentile(answered, 0.5), percentile(answered, 0.99)]
  return { ...counts, ...(p50MS !== undefined && { p50MS }), ...(p99MS !== undefined && { p99MS }) }
}

function percentile(answered: ReadonlyMap<number, number>, share: number): number | undefined {
  const all = [...answered.values()].reduce((sum, count) => sum + count, 0)
  let seen = 0
  return [...answered].toSorted(([a], [b]) => a - b).find(([, count]) => (seen += count) >= all * share)?.[0]
}
