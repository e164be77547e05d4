/** All emoji: character, Unicode group (2 has components), name, search words, and whether it has skin tones. */
export type Emojis = readonly (readonly [emoji: string, group: number, name: string, words: string, hasTones: 0 | 1])[]
