declare module 'virtual:emoji/*' {
  /** `Emojis` of emojis.ts. */
  const emojis: readonly (readonly [emoji: string, group: number, name: string, words: string])[]
  export default emojis
}
