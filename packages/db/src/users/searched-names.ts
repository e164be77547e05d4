import { foldLetters } from './fold-letters.ts'

/** A longer name is found by the first of its words. */
const mostWords = 8
/** Characters of a name that count, from the word on by which it is found. */
const mostChars = 64

/** A word of a name: in scripts without spaces every letter begins one. */
const wordStart =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu

/** A name, or its beginning, as names are compared: without case, accents and forms of letters, with single spaces. */
export function foldName(name: string): string {
  return foldLetters(name).toLowerCase().replace(/\s+/g, ' ').trimStart()
}

/** A user is found by the beginnings of these: the name from each of its words on. A user without a name has the ID. */
export function searchedNames({ id, nickname }: { id: string; nickname: string }): string[] {
  const name = foldName(nickname.trim() === '' ? id : nickname)
  const starts = [0, ...Array.from(name.matchAll(wordStart), ({ index }) => index)]
  return [...new Set(starts)].slice(0, mostWords).map((at) => Array.from(name.slice(at)).slice(0, mostChars).join(''))
}
