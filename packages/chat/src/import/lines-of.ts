import { createReadStream } from 'node:fs'

/** A line of a file, without its end. */
export interface Line {
  number: number
  /** Where it begins in the file. */
  offset: number
  bytes: Buffer
}

const newline = 0x0a
/** A message of 64 KiB with all its escapes and reactions is shorter. */
const longestLine = 4 * 1024 * 1024

/**
 * The lines of a file that are not empty, some hundred at a time. Only a newline ends a line: JSON text may hold every other
 * separator that there is.
 * @param numbers of the lines in the file that was sorted into this one
 * @throws Error for a line of more than 4 MiB
 */
export async function* linesOf(file: string, numbers?: readonly number[]): AsyncGenerator<Line[]> {
  let [number, offset] = [0, 0]
  const lineOf = (bytes: Buffer): Line => ({ number: numbers?.[number - 1] ?? number, offset, bytes })
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    let bytes = Buffer.concat([rest, chunk as Buffer])
    const lines: Line[] = []
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline)) {
      number++
      if (!isBlank(bytes.subarray(0, end))) lines.push(lineOf(bytes.subarray(0, end)))
      bytes = bytes.subarray(end + 1)
      offset += end + 1
    }
    if (bytes.length > longestLine) throw new Error(`line ${number + 1}: is longer than ${longestLine} bytes`)
    rest = bytes
    yield lines
  }
  number++
  if (!isBlank(rest)) yield [lineOf(rest)]
}

/** Spaces, the carriage return of a line's end, and the brackets of an array on lines of their own. */
const blanks = new Set([0x20, 0x0d, 0x09, 0x5b, 0x5d, 0x2c])
const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => blanks.has(byte))
