import { join } from 'node:path'

/** Where the built page is: `index.html` and its files, each also compressed (.br, .gz). */
export const builtPage: string = join(import.meta.dirname, '../dist')
