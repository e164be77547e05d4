import { stat } from 'node:fs/promises'
import type { ImportLine } from '@parley/contracts/import-line'
import { type EarlierLines, withoutErased } from './earlier-lines.ts'
import type { KnownFiles } from './known-ids.ts'
import { linesOf } from './lines-of.ts'
import { readGoodLine } from './read-line.ts'

export type Counts = Record<ImportLine['type'], number>

export interface CheckedFile {
  path: string
  stamp: string
  /** The number of good lines by type. */
  counts: Readonly<Counts>
  /** Original line numbers, if the lines were sorted. */
  numbers?: readonly number[]
  /** Indexes of skipped lines. */
  refused: ReadonlySet<number>
  refusedRooms: ReadonlySet<string>
  files: KnownFiles
  earlier: EarlierLines
  /** Users of an earlier import, erased since. */
  erased: ReadonlySet<string>
  /** The folder of the original file, in which its files lie. */
  folder: string
}

const bytesPerBatch = 8 * 1024 * 1024

/** Yields the lines of a checked file in batches. @throws Error if the file has changed since */
export async function* batchesOf(
  { path, stamp, counts, numbers, refused, refusedRooms, erased }: CheckedFile,
  size: number,
  only?: readonly ImportLine['type'][],
): AsyncGenerator<ImportLine[]> {
  if (only?.every((type) => counts[type] === 0)) return
  if ((await stampOf(path)) !== stamp) throw new Error('the file changed during the import')
  let batch: ImportLine[] = []
  let bytes = 0
  for await (const lines of linesOf(path, { numbers })) {
    for (const line of lines) {
      if (refused.has(line.index)) continue
      if (only?.every((type) => !line.bytes.includes(`"${type}"`))) continue
      const read = withoutErased(readGoodLine(line), erased)
      if (!read) continue
      if (only?.includes(read.type) === false || refusedRooms.has(roomOf(read) ?? '')) continue
      batch.push(read)
      bytes += line.bytes.length
      if (batch.length < size && bytes < bytesPerBatch) continue
      yield batch
      batch = []
      bytes = 0
    }
  }
  if ((await stampOf(path)) !== stamp) throw new Error('the file changed during the import')
  if (batch.length > 0) yield batch
}

/** The ID of the room that a line is, or belongs to. */
export function roomOf(line: ImportLine): string | undefined {
  if (line.type === 'room') return line._id
  return 'room' in line ? line.room : undefined
}

/** A value that changes whenever the file does. */
export async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${ino} ${size} ${mtimeMs}`
}
