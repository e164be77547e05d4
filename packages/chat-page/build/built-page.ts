import { join } from 'node:path'

/** Folder of the built page: `index.html` and its files, each also compressed (.br, .gz). */
export const builtPage: string = join(import.meta.dirname, '../dist')
