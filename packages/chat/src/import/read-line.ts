import { readJson } from '@parley/contracts/free-json'
import { type ImportLine, importLine, importTime } from '@parley/contracts/import-line'
import { contentOf } from '../messages/sending/draft.ts'
import { plainLine } from './extended-json.ts'
import type { Line } from './lines-of.ts'

/** Why a line cannot be imported. */
export interface Problem {
  line: number
  field: string
  reason: string
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const notJson = "is not a JSON object on one line: jq -c '.[]' makes lines of an array"

/** Also of a line of an array that has each object on a line of its own, as mongoexport --jsonArray writes it. */
function jsonOf(bytes: Buffer): unknown {
  const text = decoder.decode(bytes).trim()
  const inArray = /^[[,]?\s*(\{.*\})\s*[,\]]*$/s.exec(text)?.[1]
  return plainLine(readJson(inArray ?? text, importLine))
}

/** A line's content, checked by itself; or its faults. */
export function readLine({ number, bytes }: Line): { read: ImportLine } | { problems: Problem[] } {
  const bad = (reason: string, field = '') => ({ problems: [{ line: number, field, reason }] })
  let json: unknown
  try {
    json = jsonOf(bytes)
  } catch (error) {
    return bad(error instanceof SyntaxError ? notJson : 'is not UTF-8')
  }
  const { success, data, error } = importLine.safeParse(json)
  if (!success) {
    const problems = error.issues.map((issue) => ({
      line: number,
      field: issue.path.join('.'),
      reason: issue.message,
    }))
    return { problems }
  }
  const problem = data.type === 'message' ? unfitMessage(data) : undefined
  return problem ? bad(problem, 'message') : { read: data }
}

/**
 * The same for a line that was accepted before: messages, the most numerous, are not checked again.
 * @throws Error when the line has changed
 */
export function readGoodLine(line: Line): ImportLine {
  const json = jsonOf(line.bytes) as ImportLine
  if (json.type === 'message') return { ...json, createdAt: importTime.parse(json.createdAt) }
  const result = readLine(line)
  if (!('read' in result)) throw new Error(`line ${line.number}: the file has changed while it was imported`)
  return result.read
}

function unfitMessage({ message, isDeleted }: Extract<ImportLine, { type: 'message' }>): string | undefined {
  if (isDeleted === true) return message === undefined ? undefined : 'a deleted message has none'
  if (message === undefined) return 'required'
  try {
    contentOf(message)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
