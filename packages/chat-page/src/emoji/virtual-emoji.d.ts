declare module 'virtual:emoji/*' {
  /** `Emojis` of emojis.ts. */
  const emojis: readonly (readonly [emoji: string, group: number, name: string, words: string, hasTones: 0 | 1])[]
  export default emojis
}
