/** Every emoji: character, group of Unicode (2 are parts of others), name, other words. */
export type Emojis = readonly (readonly [emoji: string, group: number, name: string, words: string])[]
