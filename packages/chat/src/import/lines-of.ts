import { createReadStream } from 'node:fs'

/** A line of a file, without its end. */
export interface Line {
  number: number
  bytes: Buffer
}

const newline = 0x0a
/** A message of 64 KiB with all its escapes and reactions is shorter. */
const longestLine = 4 * 1024 * 1024

/**
 * The lines of a file that are not empty, some hundred at a time. Only a newline ends a line: JSON text may hold every other
 * separator that there is.
 * @throws Error for a line of more than 4 MiB
 */
export async function* linesOf(file: string): AsyncGenerator<Line[]> {
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    let bytes = Buffer.concat([rest, chunk as Buffer])
    const lines: Line[] = []
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline)) {
      number++
      if (!isBlank(bytes.subarray(0, end))) lines.push({ number, bytes: bytes.subarray(0, end) })
      bytes = bytes.subarray(end + 1)
    }
    if (bytes.length > longestLine) throw new Error(`line ${number + 1}: is longer than ${longestLine} bytes`)
    rest = bytes
    yield lines
  }
  if (!isBlank(rest)) yield [{ number: number + 1, bytes: rest }]
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
