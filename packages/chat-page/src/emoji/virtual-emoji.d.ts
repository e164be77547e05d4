declare module 'virtual:emoji/*' {
  const emojis: import('./emojis.ts').Emojis
  export default emojis
}
