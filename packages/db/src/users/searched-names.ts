/** Only the first words of a name are searchable. */
const maxWords = 8
/** Searchable characters from a word on. */
const maxChars = 64

/** Start of a word. In scripts without spaces, every letter starts one. */
const wordStart =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu

/** Normalizes a name or prefix for comparison: removes case, accents, letter variants and repeated spaces. */
export function foldName(name: string): string {
  return foldLetters(name).toLowerCase().replace(/\s+/g, ' ').trimStart()
}

/** The searchable forms of a user's name, or of the ID if the user has no name. */
export function searchedNames({ id, nickname }: { id: string; nickname: string }): string[] {
  return nameFromWords(nickname.trim() === '' ? id : nickname)
}

/** The folded name from each of its words on; empty for an empty name. */
export function nameFromWords(text: string): string[] {
  const name = foldName(text)
  if (name === '') return []
  const starts = [0, ...Array.from(name.matchAll(wordStart), ({ index }) => index)]
  return [...new Set(starts)].slice(0, maxWords).map((at) => Array.from(name.slice(at)).slice(0, maxChars).join(''))
}

/** Optional marks: accents, Arabic and Hebrew vowels, nuktas. In other scripts marks are letters. */
const marks =
  /[\u0300-\u0305\u0307\u0309-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u093c\u09bc\u0a3c\u0abc\ufe00-\ufe0f]/g
/** Folded, except in й, ї and ў, which are letters of their own. */
const cyrillicMarks = /(?<![ИиІіУу])[\u0306\u0308]/g
/** Ignored characters: soft hyphens, tatweel, joiners, direction marks. */
const silent = /[\u00ad\u0640\u061c\u200b\u200d-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Letters that Unicode does not decompose, and variants of a letter: Latin, Arabic, Persian, Urdu, Hebrew, Hindi. */
const forms: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D' },
  ...{ ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ħ: 'h', Ħ: 'H', ŧ: 't', Ŧ: 'T', ŋ: 'n', Ŋ: 'N', ı: 'i' },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ې: 'ي', ک: 'ك', ة: 'ه', ۃ: 'ه', ہ: 'ه', ھ: 'ه', ە: 'ه' },
  ...{ ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ', '\u0901': '\u0902' },
}
const anyForm = new RegExp(`[${Object.keys(forms).join('')}]`, 'gu')

/** Maps the variants of each letter to one form. Keeps upper case, since it separates words. */
export function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .replace(cyrillicMarks, '')
    .replace(silent, '')
    .normalize('NFC')
    .replace(anyForm, (letter) => forms[letter] ?? letter)
    .replace(/[\u30a1-\u30f6]/g, (katakana) => String.fromCharCode(katakana.charCodeAt(0) - 0x60))
    .replace(/[\p{Nd}--[0-9]]/gv, toAscii)
}

/** A script's digits are consecutive, and start at a code point with 0 or 6 as its last hex digit. */
function toAscii(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  const first = code & ~0xf
  return String(code - (/^\p{Nd}$/u.test(String.fromCodePoint(first)) ? first : first + 6))
}
