/**
 * An upper bound for the size of a compiled regular expression in RE2 syntax with its repetitions expanded: `(ab){100}`
 * is 400. Takes time linear in the pattern; the result for an invalid pattern is arbitrary.
 */
export function patternSize(pattern: string): number {
  /** Size of each open group, starting with the whole pattern. */
  const open = [0]
  let last = 0
  const grow = (by: number) => {
    open.push((open.pop() ?? 0) + by)
  }
  for (let i = 0; i < pattern.length; ) {
    const rest = pattern.slice(i, i + 16)
    const repeat = /^\{(\d+)(?:,(\d*))?\}/.exec(rest)
    if (repeat) {
      const times = Math.max(1, Number(repeat[1]), Number(repeat[2] || 0))
      grow(last * (times - 1))
      last *= times
      i += repeat[0].length
    } else if (rest.startsWith('(')) {
      // An empty group compiles to three instructions and may be repeated.
      open.push(2)
      i++
    } else if (rest.startsWith(')') && open.length > 1) {
      last = open.pop() ?? 0
      grow(last)
      i++
    } else if (/^[*+?]/.test(rest)) {
      // `x+` is at most `xx*`.
      grow(last)
      last *= 2
      i++
    } else {
      const end = atomEnd(pattern, i)
      // Only the last character of a quotation is repeated, so this overestimates.
      last = end - i
      grow(last)
      i = end
    }
  }
  return open.reduce((sum, size) => sum + size, 0)
}

/** The end of the element at `i`: a quotation, escape, character class or single character. */
function atomEnd(pattern: string, i: number): number {
  if (pattern.startsWith('\\Q', i)) {
    const end = pattern.indexOf('\\E', i)
    return end === -1 ? pattern.length : end + 2
  }
  if (pattern[i] === '\\') return i + 2
  if (pattern[i] !== '[') return i + 1
  // A leading `]` is a literal.
  const first = pattern[i + 1] === '^' ? i + 2 : i + 1
  for (let at = first; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern.startsWith('[:', at)) at = Math.max(at, pattern.indexOf(':]', at) + 1)
    else if (pattern[at] === ']' && at > first) return at + 1
  }
  return pattern.length
}
