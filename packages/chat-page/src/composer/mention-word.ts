/** The word after an `@` that is being written at the caret. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | undefined {
  const match = /(?:^|\s)@([^\s@]{0,40})$/u.exec(text.slice(0, caret))
  if (!match) return undefined
  const query = match[1] ?? ''
  return { from: caret - query.length - 1, query: query.toLowerCase() }
}

interface Person {
  _id: string
  nickname: string
}

/** People with a name or ID that begins with the word, then those that contain it. */
export function matching<P extends Person>(people: readonly P[], query: string, most = 6): P[] {
  const rank = ({ _id, nickname }: P) => {
    const words = [...nickname.toLowerCase().split(/\s+/), nickname.toLowerCase(), _id.toLowerCase()]
    if (words.some((word) => word.startsWith(query))) return 0
    return words.some((word) => word.includes(query)) ? 1 : 2
  }
  return people
    .map((person) => ({ person, rank: rank(person) }))
    .filter(({ rank }) => rank < 2)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ person }) => person)
}
