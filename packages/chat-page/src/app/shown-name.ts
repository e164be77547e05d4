/** Marks, overrides, embeddings and isolates of Unicode's bidirectional algorithm (UAX 9, section 2). */
const bidiControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
/** Allows three marks per letter: of living scripts, Hebrew with vowels and accents stacks the most. */
const stackedMarks = /([\p{Mn}\p{Me}\u200C\u200D]{3})[\p{Mn}\p{Me}\u200C\u200D]+/gu
/** Includes U+2800, a blank Braille pattern. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{C}\p{M}\s\u2800]/gu
const mostShown = 256

/**
 * Makes a name or line of text safe to show beside others: a single line, without characters that reorder its
 * surroundings or stack up. Empty if nothing visible is left.
 */
export function shownName(name: string): string {
  const line = name
    .slice(0, mostShown)
    .replaceAll(bidiControls, '')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .replaceAll(stackedMarks, '$1')
    .trim()
  return line.replaceAll(invisible, '') === '' ? '' : line
}

/** Words that need no isolation in a sentence of any direction. */
const plainWords = /^\p{L}[\p{L}\p{M}\p{N} ]*$/u
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/** Prepares a shown name for a sentence: isolates it (UAX 9, FSI and PDI) if it could reorder its neighbours. */
export function isolated(name: string): string {
  return name === '' || (plainWords.test(name) && !rightToLeft.test(name)) ? name : `\u2068${name}\u2069`
}

/** Splits a file name into stem and extension. The extension includes the dot, and is always shown. */
export function fileNameParts(name: string): [stem: string, extension: string] {
  const shown = shownName(name)
  const extension = /\.[^.\s]{1,16}[.\s]*$/u.exec(shown)?.[0] ?? ''
  return [shown.slice(0, shown.length - extension.length), extension]
}
