import { type Named, nameOf } from '../state/people.ts'

/** A mention's range in a text being written, including the `@`, in UTF-16 units. */
export interface MentionRange {
  user: string
  from: number
  to: number
}

/** Letters of scripts with spaces between words: directly after a name, they continue it. */
const spaced =
  /(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar})[\p{L}\p{N}_]/u

/** Whether a name can end at this position: @Al is not in @Alice, but 张伟 is in @张伟你好. */
function endsAt(text: string, at: number): boolean {
  const before = characterBefore(text, at)
  const after = String.fromCodePoint(text.codePointAt(at) ?? 32)
  return !(spaced.test(before) && spaced.test(after))
}

function characterBefore(text: string, at: number): string {
  const isLow = /[\udc00-\udfff]/.test(text.charAt(at - 1))
  return text.slice(at - (isLow ? 2 : 1), at)
}

/**
 * Adjusts mentions to an edit of the text: drops those that the edit touches, and moves those after it.
 * @param caret position after the edit, which tells repeated letters apart
 */
export function keepMentions(
  ranges: readonly MentionRange[],
  before: string,
  after: string,
  caret: number,
): MentionRange[] {
  if (before === after) return [...ranges]
  const { from, to } = changeBetween(before, after, caret)
  const by = after.length - before.length
  return ranges
    .flatMap((range) => {
      if (range.to <= from) return [range]
      if (range.from >= to) return [{ user: range.user, from: range.from + by, to: range.to + by }]
      return []
    })
    .filter(({ to }) => endsAt(after, to))
}

/** The part of `before` that was replaced. */
function changeBetween(before: string, after: string, caret: number): { from: number; to: number } {
  const behind = after.slice(caret)
  const common = before.endsWith(behind) ? behind.length : commonEnd(before, after)
  const longest = Math.min(before.length, after.length)
  const kept = Math.min(common, longest)
  let from = 0
  while (from < longest - kept && before.charCodeAt(from) === after.charCodeAt(from)) from++
  return { from, to: before.length - kept }
}

function commonEnd(a: string, b: string): number {
  let length = 0
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++
  return length
}

/**
 * Finds typed mentions in a text. The longest name wins; a name shared by two people matches nobody.
 * @param taken mentions that are already known
 */
export function findMentions(
  text: string,
  people: readonly Named[],
  taken: readonly MentionRange[] = [],
): MentionRange[] {
  const byName = new Map<string, Named[]>()
  for (const person of people) {
    const name = nameOf(person).toLowerCase()
    byName.set(name, [...(byName.get(name) ?? []), person])
  }
  // Lengths of the original names, since lowercasing can change the length.
  const lengths = [...new Set(people.map((person) => nameOf(person).length))].toSorted((a, b) => b - a)
  const found: MentionRange[] = []
  for (const { index } of text.matchAll(/[@＠]/g)) {
    if (taken.some(({ from, to }) => index >= from && index < to)) continue
    const start = index + 1
    const named = (length: number) => byName.get(text.slice(start, start + length).toLowerCase()) ?? []
    const isWhole = (length: number) => start + length <= text.length && endsAt(text, start + length)
    const length = lengths.find((one) => isWhole(one) && named(one).length > 0)
    const [person, ...others] = length === undefined ? [] : named(length)
    if (person && length !== undefined && others.length === 0) {
      found.push({ user: person._id, from: index, to: index + 1 + length })
    }
  }
  return found
}
