import { join } from 'node:path'

/** Folder of the built console: `index.html` and its files, each also compressed (.br, .gz). */
export const builtConsole: string = join(import.meta.dirname, '../dist')
