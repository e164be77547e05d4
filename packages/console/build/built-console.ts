import { join } from 'node:path'

/** Where the built console is: `index.html` and its files, each also compressed (.br, .gz). */
export const builtConsole: string = join(import.meta.dirname, '../dist')
