/** Groups in order of first occurrence. Not all supported browsers have `Map.groupBy`. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): [key: K, items: T[]][] {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups]
}
