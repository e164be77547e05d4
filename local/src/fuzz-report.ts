import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The outcome of the calls of one operation. */
export interface Tally {
  /** For example POST /messages. */
  operation: string
  accepted: number
  /** 4xx. */
  refused: number
  /** Outcomes of calls whose input the document allows. */
  allowed: { accepted: number; invalid: number }
}

interface Answer {
  status_code: number
  content?: { $base64: string } | null
}
interface Scenario {
  ScenarioFinished?: {
    recorder: {
      cases: Record<string, { value: { method: string; path: string; meta?: { generation: { mode: string } } } }>
      interactions?: Record<string, { response?: Answer }>
    }
  }
}

/** Error codes for invalid input, not for access, missing objects or conflicts. */
const ofInput =
  /"(?:INVALID_(?:TAGS|QUERY|BODY|REQUEST|USER_ID)|MISSING_PARAMETER|UNSUPPORTED_MEDIA_TYPE|\w+_TOO_LARGE)"/

/**
 * Counts the outcomes in schemathesis' reports (--report-ndjson-path) by operation.
 * @param operations all operations of the document, including those never called
 */
export async function tallyReports(files: readonly string[], operations: readonly string[]): Promise<Tally[]> {
  const tallies = new Map(
    operations.map((operation) => [
      operation,
      { operation, accepted: 0, refused: 0, allowed: { accepted: 0, invalid: 0 } },
    ]),
  )
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const { recorder } = (JSON.parse(line) as Scenario).ScenarioFinished ?? {}
      for (const [id, { response }] of Object.entries(recorder?.interactions ?? {})) {
        const { value } = recorder?.cases[id] ?? {}
        const tally = tallies.get(`${value?.method} ${value?.path}`)
        if (tally && response) count(tally, response, value?.meta?.generation.mode === 'positive')
      }
    }
  }
  return [...tallies.values()]
}

function count(tally: Tally, { status_code: status, content }: Answer, isAllowed: boolean): void {
  if (status < 300) tally.accepted++
  else if (status < 500) tally.refused++
  if (!isAllowed) return
  if (status < 300) tally.allowed.accepted++
  else if (ofInput.test(Buffer.from(content?.$base64 ?? '', 'base64').toString())) tally.allowed.invalid++
}

/** Gaps that no single response reveals, one sentence each. */
export function findGaps(tallies: readonly Tally[]): string[] {
  return tallies.flatMap(({ operation, accepted, allowed }) => {
    if (accepted === 0) return [`${operation} never returned 2xx: it was not really tried`]
    if (allowed.invalid <= allowed.accepted) return []
    return [
      `${operation} refused ${allowed.invalid} of ${allowed.invalid + allowed.accepted} inputs that its schema allows`,
    ]
  })
}

/** Formats the counts as a table. */
export function formatTallies(tallies: readonly Tally[]): string[] {
  const rows = tallies.map(({ operation, accepted, refused, allowed }) => [
    operation,
    String(accepted),
    String(refused),
    String(allowed.invalid),
  ])
  const head = ['operation', '2xx', '4xx', 'allowed by its schema, refused']
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  return [head, ...rows].map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  )
}
