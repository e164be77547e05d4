import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const prefix = 'virtual:emoji/'
const { resolve } = createRequire(import.meta.url)

interface EmojiOfData {
  emoji: string
  annotation: string
  tags?: string[]
  group: number
}

/** Modules `virtual:emoji/<language>`: every emoji with its words and group, half as large as the package's own files. */
export function emojiData(): Plugin {
  return {
    name: 'emoji-data',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const language = id.slice(prefix.length + 1)
      const file = resolve(`emoji-picker-element-data/${language}/emojibase/data.json`)
      const data = JSON.parse(readFileSync(file, 'utf8')) as EmojiOfData[]
      const rows = data.map(({ emoji, annotation, tags = [], group }) => [emoji, group, annotation, tags.join(' ')])
      // A string is parsed faster than an array of the language.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(rows))})`
    },
  }
}
