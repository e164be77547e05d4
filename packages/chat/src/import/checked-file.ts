import { stat } from 'node:fs/promises'
import type { ImportLine } from '@parley/contracts/import-line'
import { linesOf } from './lines-of.ts'
import { readGoodLine } from './read-line.ts'

/** A file, and how it was when its lines were checked. */
export interface CheckedFile {
  path: string
  stamp: string
}

/** What is read at once has at most about so many bytes. */
const bytesPerBatch = 8 * 1024 * 1024

/** The lines of a file that was checked before, some at a time. @throws Error when it has changed since */
export async function* batchesOf(
  { path, stamp }: CheckedFile,
  size: number,
  only?: 'membership',
): AsyncGenerator<ImportLine[]> {
  if ((await stampOf(path)) !== stamp) throw new Error('the file has changed while it was imported')
  let batch: ImportLine[] = []
  let bytes = 0
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      if (only !== undefined && !line.bytes.includes(`"${only}"`)) continue
      const read = readGoodLine(line)
      if (only !== undefined && read.type !== only) continue
      batch.push(read)
      bytes += line.bytes.length
      if (batch.length < size && bytes < bytesPerBatch) continue
      yield batch
      batch = []
      bytes = 0
    }
  }
  if ((await stampOf(path)) !== stamp) throw new Error('the file has changed while it was imported')
  if (batch.length > 0) yield batch
}

/** Changes with the file. */
export async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${ino} ${size} ${mtimeMs}`
}
