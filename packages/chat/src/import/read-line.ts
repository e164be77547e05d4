import { clock } from '@parley/async/clock'
import { readJson, unfitJson, withDoubles } from '@parley/contracts/free-json'
import { type ImportLine, type ImportOf, importLine, importTime } from '@parley/contracts/import-line'
import { maxPrefBytes } from '@parley/contracts/operations/users/preferences'
import { systemTypes } from '@parley/contracts/resources/message'
import { directionControls } from '../files/create-file.ts'
import { checkConfigKey } from '../integrations/set-config.ts'
import { contentOf } from '../messages/draft.ts'
import { plainLine } from './extended-json.ts'
import type { Line } from './lines-of.ts'

export interface Problem {
  line: number
  /** Index of the object in the file. */
  index: number
  field: string
  reason: string
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Contents of messages, reports, preferences and configuration keys, which may be null. */
const nullable = new Set(['message', 'data', 'content'])
const jsonOf = (bytes: Buffer): unknown => plainLine(readJson(decoder.decode(bytes), importLine), nullable)

/** Parses and validates a line by itself. Times in the future of MongoDB's clock are refused. */
export function readLine({ number, index, bytes, fault }: Line): { read: ImportLine } | { problems: Problem[] } {
  const bad = (reason: string) => ({ problems: [{ line: number, index, field: '', reason }] })
  if (fault !== undefined) return bad(fault)
  let json: unknown
  try {
    json = jsonOf(bytes)
  } catch (error) {
    return bad(error instanceof SyntaxError ? `is not a JSON object: ${error.message}` : 'is not UTF-8')
  }
  const { success, data, error } = importLine.safeParse(json)
  if (!success) {
    const problems = error.issues.map((issue) => ({
      line: number,
      index,
      field: issue.path.join('.'),
      reason: issue.message,
    }))
    return { problems }
  }
  const faults = [...timesToCome(data), ...unfit(data)]
  const problems = faults.map(({ field, reason }) => ({ line: number, index, field, reason }))
  return problems.length > 0 ? { problems } : { read: data.type === 'message' ? withThread(data) : data }
}

/** Parses an accepted line. Messages, the most numerous, are not validated again. @throws Error if it has changed */
export function readGoodLine(line: Line): ImportLine {
  const json = jsonOf(line.bytes) as ImportLine
  const updated = 'updatedAt' in json && { updatedAt: importTime.parse(json.updatedAt) }
  if (json.type === 'message') return withThread({ ...json, createdAt: importTime.parse(json.createdAt), ...updated })
  const result = readLine(line)
  if (!('read' in result)) throw new Error(`line ${line.number}: the file changed during the import`)
  return result.read
}

/** `thread` with `replyTo`, as in a send, is equivalent to `threadOf`. */
function withThread({ thread, ...message }: ImportOf<'message'>): ImportOf<'message'> {
  return thread === true ? { ...message, threadOf: message.replyTo } : message
}

type Fault = Pick<Problem, 'field' | 'reason'>

function timesToCome(line: ImportLine): Fault[] {
  const nowMS = clock.now()
  const times: Partial<Record<string, unknown>> = line
  return ['createdAt', 'updatedAt', 'joinedAt', 'lastReadAt'].flatMap((field) =>
    Number(times[field]) > nowMS ? [{ field, reason: 'is in the future' }] : [],
  )
}

/** Problems that the schema cannot detect. */
function unfit(line: ImportLine): Fault[] {
  if (line.type === 'message') return unfitMessage(line)
  if (line.type === 'scheduled') return unfitScheduled(line)
  if (line.type === 'config') return unfitConfig(line)
  if (line.type === 'report') return unfitReport(line)
  if (line.type === 'hold' && (line.user === undefined) === (line.room === undefined)) {
    return [{ field: 'user', reason: 'give user or room' }]
  }
  if (line.type === 'file' && line.name !== line.name.replace(directionControls, '')) {
    return [{ field: 'name', reason: 'has direction controls, which can hide its extension' }]
  }
  if (line.type === 'pref') return unfitJsonOf(line.data, 'data', maxPrefBytes)
  if (line.type === 'room' && line.extParams !== undefined) return unfitJsonOf(line.extParams, 'extParams')
  return []
}

function unfitJsonOf(value: unknown, field: string, maxBytes = Infinity): Fault[] {
  const reason = unfitJson(value, 0)
  if (reason !== undefined) return [{ field, reason }]
  const isTooLarge = Buffer.byteLength(JSON.stringify(value)) > maxBytes
  return isTooLarge ? [{ field, reason: `at most ${maxBytes} bytes as JSON` }] : []
}

function unfitConfig({ key, data = null }: ImportOf<'config'>): Fault[] {
  try {
    checkConfigKey(key, withDoubles(data))
    return unfitJsonOf(data, 'data')
  } catch (error) {
    return [{ field: 'data', reason: (error as Error).message }]
  }
}

const isSystemType = (type: string) => systemTypes.some((known) => known === type)

const ofServer = { field: 'messageType', reason: 'is a system message type, which only the server may use' }

function unfitMessage(line: ImportOf<'message'>): Fault[] {
  if (isSystemType(line.messageType) && line.system !== true) return [ofServer]
  const isGone = line.isDeleted === true || line.recalled === true
  if (isGone) {
    const ofLiving = line.isDeleted === true ? (['reactions', 'pinned'] as const) : []
    const lost = (['message', 'mentions', 'attachments', ...ofLiving] as const).filter(
      (field) => line[field] !== undefined && line[field] !== null && line[field] !== false,
    )
    return lost.map((field) => ({ field, reason: 'not allowed on a deleted or recalled message' }))
  }
  if (line.thread === true && line.replyTo === undefined) return [{ field: 'replyTo', reason: 'required with thread' }]
  if (line.thread === true && line.threadOf !== undefined) {
    return [{ field: 'thread', reason: 'give thread or threadOf' }]
  }
  return unfitContent(line.message)
}

function unfitScheduled(line: ImportOf<'scheduled'>): Fault[] {
  if (isSystemType(line.messageType)) return [ofServer]
  if (line.thread === true && line.replyTo === undefined) return [{ field: 'replyTo', reason: 'required with thread' }]
  return unfitContent(line.message)
}

function unfitReport({ content, decision, decidedAt }: ImportOf<'report'>): Fault[] {
  if ((decision === undefined) !== (decidedAt === undefined)) {
    return [{ field: 'decidedAt', reason: 'required with decision, and only then' }]
  }
  return content === undefined ? [] : unfitContent(content, 'content')
}

function unfitContent(message: unknown, field = 'message'): Fault[] {
  if (message === undefined) return [{ field, reason: 'required' }]
  try {
    contentOf(message)
    return []
  } catch (error) {
    return [{ field, reason: (error as Error).message }]
  }
}
