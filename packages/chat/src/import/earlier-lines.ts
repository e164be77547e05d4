import { type ImportLine, type ImportOf, ownerOfLine } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import { findImportedLines, recordImportedLines } from '@parley/db/import/imported-cases'
import { KnownIds, messageHash } from './known-ids.ts'

/** The lines that earlier imports of an app have written, so that what was undone since stays undone. */
export class EarlierLines {
  readonly #db: Db
  readonly #app: string
  readonly #hashes = new KnownIds()

  private constructor(db: Db, app: string) {
    this.#db = db
    this.#app = app
  }

  static async load(db: Db, app: string): Promise<EarlierLines> {
    const lines = new EarlierLines(db, app)
    for await (const hash of findImportedLines(db, app)) lines.#hashes.add(hash)
    return lines
  }

  has(line: ImportLine): boolean {
    return this.#hashes.has(this.#hash(line))
  }

  /** Remembers lines for later imports, once they are written. `has` stays as it is. */
  async note(lines: readonly ImportLine[]): Promise<void> {
    const fresh = lines.filter((line) => !this.has(line))
    await recordImportedLines(
      this.#db,
      this.#app,
      fresh.map((line) => this.#hash(line)),
    )
  }

  /** Users and files by ID: their other fields stay as first imported. A changed line of another type is new. */
  #hash(line: ImportLine): bigint {
    const isById = line.type === 'user' || line.type === 'file'
    return messageHash(this.#app, line.type, isById ? line._id : JSON.stringify(line))
  }
}

/**
 * A line as an import writes it after users of the file were erased in the app. Their messages stay under their IDs.
 * Undefined if it is left out.
 */
export function withoutErased(line: ImportLine, erased: ReadonlySet<string>): ImportLine | undefined {
  if (erased.size === 0) return line
  if (line.type === 'user' && erased.has(line._id)) return { ...line, erased: true }
  if (line.type === 'room') return roomWithoutErased(line, erased)
  if (line.type === 'report') return reportWithoutErased(line, erased)
  return erased.has(ownerOfLine(line) ?? '') ? undefined : line
}

function reportWithoutErased({ content, reporters, ...report }: ImportOf<'report'>, erased: ReadonlySet<string>) {
  const kept = reporters.filter(({ client }) => !erased.has(client))
  return { ...report, reporters: kept, ...(!erased.has(report.sender) && { content }) }
}

function roomWithoutErased({ members, owner, managers, ...room }: ImportOf<'room'>, erased: ReadonlySet<string>) {
  const isAbandoned = members?.some((user) => erased.has(user)) === true
  return {
    ...room,
    ...(isAbandoned ? { abandoned: true } : { members }),
    owner: owner !== undefined && erased.has(owner) ? undefined : owner,
    managers: managers?.filter((user) => !erased.has(user)),
  }
}
