/** A text as UTF-16 units, prepared for finding words in it. */
export interface Letters {
  /** The case-folded units. */
  folded: Uint16Array
  /** Per unit: 1 if it is part of a word (a letter, mark, number or `_`), otherwise 0. */
  inWord: Uint8Array
}

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u
/** Characters that Unicode folds although they have no matching upper or lower case, as code points for legibility. */
const alsoFolded: Record<string, string> = { '\u1fd3': '\u0390', '\u1fe3': '\u03b0', '\ufb05': '\ufb06' }
/** Code points below this are cached. Above, no script has case, and characters are rare. */
const remembered = 0x2_00_00
const unknown = 255

/** Prepares texts. Caches characters in 640 KiB, since looking up case and class costs more than all else. */
export function createLetterReader(): (text: string) => Letters {
  const foldedTo = new Uint32Array(remembered)
  const isWord = new Uint8Array(remembered).fill(unknown)

  function learn(codePoint: number): void {
    const character = String.fromCodePoint(codePoint)
    foldedTo[codePoint] = foldCase(character).codePointAt(0) ?? codePoint
    isWord[codePoint] = isInWord(character)
  }

  return (text) => {
    const folded = new Uint16Array(text.length)
    const inWord = new Uint8Array(text.length)
    for (let i = 0; i < text.length; i++) {
      const codePoint = text.codePointAt(i) ?? 0
      if (isWord[codePoint] === unknown) learn(codePoint)
      const word = isWord[codePoint] ?? isInWord(String.fromCodePoint(codePoint))
      const fold = foldedTo[codePoint] ?? codePoint
      folded[i] = fold
      inWord[i] = word
      if (codePoint <= 0xffff) continue
      // In every script beyond the BMP, both cases of a character share the first unit.
      folded[i] = text.charCodeAt(i)
      folded[++i] = 0xdc00 | (fold & 0x3ff)
      inWord[i] = word
    }
    return { folded, inWord }
  }
}

function isInWord(character: string): 0 | 1 {
  return wordCharacter.test(character) ? 1 : 0
}

/**
 * Unicode's simple case folding (CaseFolding.txt, statuses C and S), as in regular expressions with the flags `iu`. It
 * keeps the length, so that positions in the folded text are positions in the text. `İ` therefore stays, because its
 * lower case has two characters, and `ß` does not match `ss`.
 */
export function foldCase(character: string): string {
  // `ı` has the same upper case as `i`.
  if (character === 'ı') return character
  const upper = character.toUpperCase()
  const lower = (isOne(upper) ? upper : character).toLowerCase()
  return alsoFolded[character] ?? (isOne(lower) ? lower : character)
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
}
