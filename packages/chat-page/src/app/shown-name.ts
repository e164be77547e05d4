/** Marks, overrides, embeddings and isolates of Unicode's bidirectional algorithm (UAX 9, section 2). */
const bidiControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
/** Of the living scripts, Hebrew with vowels and accents stacks the most on one letter. */
const stackedMarks = /([\p{Mn}\p{Me}\u200C\u200D]{3})[\p{Mn}\p{Me}\u200C\u200D]+/gu
/** U+2800 is a letter without ink. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{C}\p{M}\s\u2800]/gu
const mostShown = 256

/**
 * A name of a person, room or file, or a line of text, as it may stand beside others: in one line, without characters that
 * reorder its surroundings or pile up. Empty when nothing of it can be seen.
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

/** Words that stand in their place in a sentence of any direction as they are. */
const plainWords = /^\p{L}[\p{L}\p{M}\p{N} ]*$/u
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/** A shown name for use inside a sentence: isolated (UAX 9, FSI and PDI) where it would reorder its neighbours. */
export function isolated(name: string): string {
  return name === '' || (plainWords.test(name) && !rightToLeft.test(name)) ? name : `\u2068${name}\u2069`
}

/** A file's name in two parts: the second is its extension, with the dot, which is always shown. */
export function fileNameParts(name: string): [stem: string, extension: string] {
  const shown = shownName(name)
  const extension = /\.[^.\s]{1,16}[.\s]*$/u.exec(shown)?.[0] ?? ''
  return [shown.slice(0, shown.length - extension.length), extension]
}
