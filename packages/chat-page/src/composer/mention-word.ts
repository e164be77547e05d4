import type { Named } from '../state/people.ts'

/** Letters of scripts without spaces, and full-width ones: an `@` after them starts a mention, unlike in an email. */
const withoutSpaces =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\uff01-\\uffef'
const mention = new RegExp(`(?:^|[^\\p{L}\\p{N}\\p{M}_.+-]|[${withoutSpaces}])[@＠]([^\\s@＠]{0,40})$`, 'u')

/** The `@` word being typed at the caret. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | undefined {
  const match = mention.exec(text.slice(Math.max(0, caret - 100), caret))
  if (!match) return undefined
  const query = match[1] ?? ''
  return { from: caret - query.length - 1, query }
}

/** Ignores case, accents and width, much as the server compares names. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** People whose name or ID starts with the word, then those whose name or ID contains it. */
export function matching<P extends Named>(people: readonly P[], word: string, most = 6): P[] {
  const query = folded(word)
  const rank = ({ _id, nickname }: P) => {
    const name = folded(nickname)
    const words = [...name.split(/\s+/), name, folded(_id)]
    if (words.some((one) => one.startsWith(query))) return 0
    return words.some((one) => one.includes(query)) ? 1 : 2
  }
  return people
    .map((person) => ({ person, rank: rank(person) }))
    .filter(({ rank }) => rank < 2)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ person }) => person)
}
