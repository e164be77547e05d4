declare module 'virtual:emoji/*' {
  /** Character, group (of Unicode, 2 are parts), name, and other words. */
  const emojis: readonly (readonly [string, number, string, string])[]
  export default emojis
}
