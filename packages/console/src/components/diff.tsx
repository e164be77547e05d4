import { visible } from './shown.tsx'

/** Longer changed parts are shown as removed and added without a comparison. */
const mostLines = 400

/** A line diff of two texts. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <pre className="code">
      {linesOf(before, after).map(({ sign, line }, i) => (
        <div key={`${i} ${sign}`} className={sign === '+' ? 'diff-added' : sign === '-' ? 'diff-removed' : undefined}>
          {`${sign} ${visible(line)}`}
        </div>
      ))}
    </pre>
  )
}

interface DiffLine {
  sign: '+' | '-' | ' '
  line: string
}

/** The unchanged, removed and added lines in order, by their longest common subsequence. */
function linesOf(before: string, after: string): DiffLine[] {
  const [old, now] = [before, after].map((text) => (text === '' ? [] : text.split('\n'))) as [string[], string[]]
  let begin = 0
  while (begin < old.length && begin < now.length && old[begin] === now[begin]) begin++
  let end = 0
  while (end < old.length - begin && end < now.length - begin && old.at(-1 - end) === now.at(-1 - end)) end++
  const [gone, come] = [old.slice(begin, old.length - end), now.slice(begin, now.length - end)]
  const same = (lines: readonly string[]) => lines.map((line): DiffLine => ({ sign: ' ', line }))
  const middle =
    gone.length > mostLines || come.length > mostLines
      ? [...gone.map((line): DiffLine => ({ sign: '-', line })), ...come.map((line): DiffLine => ({ sign: '+', line }))]
      : compared(gone, come)
  return [...same(old.slice(0, begin)), ...middle, ...same(old.slice(old.length - end))]
}

function compared(gone: readonly string[], come: readonly string[]): DiffLine[] {
  /** `lengths[i][j]` is the length of the longest common subsequence of the lines from i and j on. */
  const lengths = Array.from({ length: gone.length + 1 }, () => Array.from({ length: come.length + 1 }, () => 0))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = gone.length - 1; i >= 0; i--) {
    for (let j = come.length - 1; j >= 0; j--) {
      const row = lengths[i]
      if (row) row[j] = gone[i] === come[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < gone.length || j < come.length) {
    const [old = '', now = ''] = [gone[i], come[j]]
    if (i < gone.length && j < come.length && old === now) {
      lines.push({ sign: ' ', line: old })
      i++
      j++
    } else if (j >= come.length || (i < gone.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', line: old })
      i++
    } else {
      lines.push({ sign: '+', line: now })
      j++
    }
  }
  return lines
}
