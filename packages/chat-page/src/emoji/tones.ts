/** Unicode's skin tones, from light to dark. */
export const tones = ['🏻', '🏼', '🏽', '🏾', '🏿'] as const

/** Applies a skin tone, which follows the first character (UTS 51, 2.4). @param tone '' for none */
export function toned(emoji: string, tone: string): string {
  if (tone === '') return emoji
  const [first = '', ...rest] = emoji
  return [first, tone, ...(rest[0] === '\uFE0F' ? rest.slice(1) : rest)].join('')
}
