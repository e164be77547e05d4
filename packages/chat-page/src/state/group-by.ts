/** In the order in which the keys come first; `Map.groupBy` is younger than the browsers that the page supports. */
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
