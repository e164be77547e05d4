import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ImportLine } from '@parley/contracts/import-line'
import { writeNewFile } from '@parley/files/new-file'
import { type Line, linesOf } from './lines-of.ts'
import { type Problem, readLine } from './read-line.ts'

/** A line refers only to lines of earlier types. */
const order: readonly ImportLine['type'][] = ['user', 'group', 'file', 'room', 'membership', 'message']

interface LinePosition {
  rank: number
  /** Time of a message; 0 for other lines. */
  atMS: number
  number: number
  offset: number
  length: number
}

/**
 * Sorts the good lines of a file into the order that the import needs: by type, and messages by time.
 * @returns a temporary file that is removed on exit, the original line numbers, and the problems of the other lines
 * @throws Error if the temporary file cannot be written, or the file shrinks meanwhile
 */
export async function sortLines(
  path: string,
): Promise<{ path: string; numbers: readonly number[]; problems: Problem[] }> {
  const positions: LinePosition[] = []
  const problems: Problem[] = []
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      const result = readLine(line)
      if ('read' in result) positions.push(positionOf(line, result.read))
      else problems.push(...result.problems)
    }
  }
  positions.sort((a, b) => a.rank - b.rank || a.atMS - b.atMS || a.offset - b.offset)

  const folder = mkdtempSync(join(tmpdir(), 'parley-import-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const sorted = join(folder, 'sorted.ndjson')
  const source = await open(path)
  try {
    await writeNewFile(sorted, () => pipeline(readLines(source, positions), createWriteStream(sorted)))
  } finally {
    await source.close()
  }
  return { path: sorted, numbers: positions.map(({ number }) => number), problems }
}

async function* readLines(source: FileHandle, positions: readonly LinePosition[]): AsyncGenerator<Buffer> {
  for (const { offset, length } of positions) {
    const line = Buffer.alloc(length + 1, '\n')
    for (let done = 0; done < length; ) {
      const { bytesRead } = await source.read(line, done, length - done, offset + done)
      if (bytesRead === 0) throw new Error('the file changed during the import')
      done += bytesRead
    }
    yield line
  }
}

function positionOf({ number, offset, bytes }: Line, read: ImportLine): LinePosition {
  const rank = order.indexOf(read.type)
  const atMS = read.type === 'message' ? read.createdAt : 0
  return { number, offset, length: bytes.length, rank: rank === -1 ? order.length : rank, atMS }
}
