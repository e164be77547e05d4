const [newline, carriageReturn, tab, space, quote, backslash] = [0x0a, 0x0d, 0x09, 0x20, 0x22, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket, comma, colon] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a]

/** Deeper JSON is refused everywhere (free-json.ts). */
const deepest = 200

interface End {
  isWhole: boolean
  /** Whether no further bytes can complete the object. */
  isBroken: boolean
  end: number
  /** Number of line breaks before the end or the error. */
  newlines: number
}

/**
 * Finds the end of the JSON object at the start of bytes, without parsing its values. The object is broken by a line
 * break in a string, a mismatched bracket, or an object where no value is allowed, such as after a truncated line.
 */
export function endOfObject(bytes: Buffer): End {
  const open: number[] = []
  let [newlines, last] = [0, colon]
  const broken = (end: number): End => ({ isWhole: false, isBroken: true, end, newlines })
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === newline) newlines++
    if (byte === newline || byte === space || byte === carriageReturn || byte === tab) continue
    if (byte === quote) {
      at = endOfText(bytes, at + 1)
      if (bytes[at] === newline) return broken(at)
    } else if (byte === openBrace || byte === openBracket) {
      const isInList = open.at(-1) === openBracket
      const isValue = last === colon || last === openBracket || (last === comma && isInList)
      if (!isValue || open.length === deepest) return broken(at)
      open.push(byte)
    } else if (byte === closeBrace || byte === closeBracket) {
      if (open.pop() !== (byte === closeBrace ? openBrace : openBracket)) return broken(at)
      if (open.length === 0) return { isWhole: true, isBroken: false, end: at + 1, newlines }
    }
    last = byte ?? 0
  }
  return { isWhole: false, isBroken: false, end: bytes.length, newlines }
}

/** The end of a string that began before `at`: its closing quote, or a line break, which a string cannot contain. */
function endOfText(bytes: Buffer, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote || byte === newline) return at
    if (byte === backslash) at++
  }
  return at
}
