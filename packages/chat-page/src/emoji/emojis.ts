/** Every emoji: character, group of Unicode (2 are parts of others), name, other words, whether it has tones of skin. */
export type Emojis = readonly (readonly [emoji: string, group: number, name: string, words: string, hasTones: 0 | 1])[]
