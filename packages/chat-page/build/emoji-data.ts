import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { toned, tones } from '../src/emoji/tones.ts'

const prefix = 'virtual:emoji/'
const { resolve } = createRequire(import.meta.url)

interface EmojiOfData {
  emoji: string
  annotation: string
  tags?: string[]
  group: number
  skins?: { emoji: string; tone: number | number[] }[]
}

/** Provides `virtual:emoji/<language>`: every emoji with names and group, at half the size of the package's files. */
export function emojiData(): Plugin {
  return {
    name: 'emoji-data',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const folder = join(dirname(resolve('emoji-picker-element-data/package.json')), id.slice(prefix.length + 1))
      // Some languages have only the names of Unicode's CLDR.
      const file = ['emojibase', 'cldr'].map((from) => join(folder, from, 'data.json')).find((path) => existsSync(path))
      if (file === undefined) throw new Error(`${folder}: no emoji`)
      const data = JSON.parse(readFileSync(file, 'utf8')) as EmojiOfData[]
      const rows = data.map((one) => {
        const { emoji, annotation, tags = [], group } = one
        return [emoji, group, annotation, tags.join(' '), hasTones(one) ? 1 : 0]
      })
      // JSON.parse of a string is faster than parsing an array literal.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(rows))})`
    },
  }
}

/** Whether the emoji has a variant for each skin tone, as `toned` composes it. */
function hasTones({ emoji, skins = [] }: EmojiOfData): boolean {
  return tones.every((tone, i) => skins.some((skin) => skin.tone === i + 1 && skin.emoji === toned(emoji, tone)))
}
