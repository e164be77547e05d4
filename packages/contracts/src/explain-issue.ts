import type { z } from 'zod'

export type Issue = z.core.$ZodIssue

/** Names the field that a schema refuses, and says what is expected. */
export function explainIssue(given: Issue): string {
  const issue = withinUnion(given)
  const at = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') return `${[at, issue.keys[0]].filter(Boolean).join('.')}: unknown field`
  const expected = issue.message.replace(/^Invalid input: /, '')
  if (at === '') return expected
  return expected.endsWith(' received undefined') ? `${at} is required` : `${at}: ${expected}`
}

/** The first issue of the alternative that the value comes closest to: of its type, with the fewest issues. */
function withinUnion(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue
  const isOfType = ([first]: Issue[]) => first?.code !== 'invalid_type' || first.path.length > 0
  const [closest] = issue.errors.toSorted((a, b) => Number(isOfType(b)) - Number(isOfType(a)) || a.length - b.length)
  const [inner] = closest ?? []
  return inner ? withinUnion({ ...inner, path: [...issue.path, ...inner.path] }) : issue
}
