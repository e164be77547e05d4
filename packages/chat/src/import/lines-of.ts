import { createReadStream } from 'node:fs'
import { endOfObject } from './end-of-object.ts'

/** A JSON object of a file. An object usually takes one line, but may span several, and a line may hold several. */
export interface Line {
  number: number
  /** Index among the objects of the file, from 0. */
  index: number
  offset: number
  bytes: Buffer
  /** Why it is not an object; `bytes` then holds the text found instead, or the start of it. */
  fault?: string
}

/** Longer than a 64 KiB message with all of its escapes and reactions. */
const longestLine = 4 * 1024 * 1024
const chunkBytes = 256 * 1024

const [newline, brace, comma, byteOrderMark] = [0x0a, 0x7b, 0x2c, Buffer.from('\uFEFF')]
/** Spaces, tabs, carriage returns, and array separators. */
const between = new Set([0x20, 0x09, 0x0d, 0x5b, 0x5d, comma])
/** Line starts that continue a multi-line object in files without indentation. */
const inside = new Set(Buffer.from('"}]:'))

/**
 * Yields the objects of a file in any layout: one per line, over several lines, or in one array. Broken objects are
 * returned with a fault, and reading resumes at the next line that can begin an object. Memory holds at most one object
 * and the current chunk.
 * @param numbers original line numbers, if the lines were sorted
 */
export async function* linesOf(
  file: string,
  { numbers, longest = longestLine }: { numbers?: readonly number[] | undefined; longest?: number } = {},
): AsyncGenerator<Line[]> {
  const reader = new LineReader(longest, numbers)
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) yield reader.read(chunk as Buffer)
  yield reader.read()
}

class LineReader {
  readonly #longest: number
  readonly #numbers: readonly number[] | undefined
  /** Unread bytes, with their offset and line number. */
  #bytes: Buffer = Buffer.alloc(0)
  #offset = 0
  #number = 1
  #index = 0
  #isEnd = false
  /** Indentation of the next object; large if another object precedes it on its line. */
  #indentation = 0
  /** Indentation of a broken object that is being skipped. */
  #brokenAt: number | undefined
  #isLineOver = false

  constructor(longest: number, numbers?: readonly number[]) {
    this.#longest = longest
    this.#numbers = numbers
  }

  read(chunk?: Buffer): Line[] {
    this.#isEnd = chunk === undefined
    if (chunk) this.#bytes = Buffer.concat([this.#bytes, chunk])
    if (this.#offset === 0 && this.#bytes.subarray(0, 3).equals(byteOrderMark)) this.#pass(byteOrderMark.length)
    const lines: Line[] = []
    while (this.#next(lines)) continue
    return lines
  }

  /** Reads the next object. Returns whether the buffer may have more. */
  #next(lines: Line[]): boolean {
    if (this.#isLineOver) return this.#passLine()
    if (this.#brokenAt !== undefined && !this.#passBroken(this.#brokenAt)) return false
    this.#passBetween()
    if (this.#bytes.length === 0) return false
    if (this.#bytes[0] !== brace) {
      const end = this.#bytes.indexOf(newline)
      const isLong = this.#bytes.length > this.#longest
      if (end === -1 && !this.#isEnd && !isLong) return false
      this.#isLineOver = isLong && end === -1
      lines.push(this.#take(end === -1 ? this.#bytes.length : end, 'is not a JSON object'))
      return true
    }
    const found = endOfObject(this.#bytes)
    if (found.isWhole && found.end <= this.#longest) {
      lines.push(this.#take(found.end))
      return true
    }
    const isLong = this.#bytes.length > this.#longest && !found.isBroken
    if (!found.isBroken && !this.#isEnd && !isLong) return false
    const at = this.#number + found.newlines
    const where = at === this.#number ? '' : `: the object that begins here breaks off on line ${at}`
    this.#breakOff(lines, isLong ? `is longer than ${this.#longest} bytes` : `is not a JSON object${where}`)
    return true
  }

  /** Reports the first line of a broken object, and starts to skip the rest. */
  #breakOff(lines: Line[], fault: string): void {
    const end = this.#bytes.indexOf(newline)
    this.#brokenAt = this.#indentation
    this.#isLineOver = true
    lines.push(this.#take(end === -1 ? this.#bytes.length : end, fault))
  }

  /** Skips the lines of a broken object. Returns whether its end was found. */
  #passBroken(indentation: number): boolean {
    for (;;) {
      let at = 0
      while (between.has(this.#bytes[at] ?? 0)) at++
      if (at === this.#bytes.length && !this.#isEnd) return false
      const first = this.#bytes[at]
      const isInside = first === newline || at > indentation || inside.has(first ?? 0)
      if (!isInside || this.#bytes.length === 0) break
      this.#isLineOver = true
      if (!this.#passLine()) return this.#isEnd
    }
    this.#brokenAt = undefined
    return true
  }

  #passLine(): boolean {
    const end = this.#bytes.indexOf(newline)
    this.#pass(end === -1 ? this.#bytes.length : end + 1)
    if (end === -1) return false
    this.#number++
    this.#indentation = 0
    this.#isLineOver = false
    return true
  }

  #passBetween(): void {
    let [at, begin] = [0, -this.#indentation]
    for (; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at] ?? 0
      if (byte === newline) {
        this.#number++
        begin = at + 1
      } else if (!between.has(byte)) break
    }
    this.#indentation = at - begin
    this.#pass(at)
  }

  #take(end: number, fault?: string): Line {
    const bytes = this.#bytes.subarray(0, end)
    const number = this.#numbers?.[this.#index] ?? this.#number
    const line = { number, index: this.#index, offset: this.#offset, bytes }
    this.#index++
    this.#indentation += end
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) this.#number++
    this.#pass(end)
    return fault === undefined ? line : { ...line, fault }
  }

  #pass(end: number): void {
    this.#bytes = this.#bytes.subarray(end)
    this.#offset += end
  }
}
