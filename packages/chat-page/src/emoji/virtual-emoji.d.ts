declare module 'virtual:emoji/*' {
  /** All emoji: character, Unicode group (2 has components), name, search words, and whether it has skin tones. */
  const emojis: readonly (readonly [emoji: string, group: number, name: string, words: string, hasTones: 0 | 1])[]
  export default emojis
}
