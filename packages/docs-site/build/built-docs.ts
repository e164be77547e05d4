import { join } from 'node:path'

/**
 * Where the built pages are: `api.html`, `llms.txt`, a `.html` and a `.md` for each page of docs/, their `assets`, and Scalar's
 * files in `scalar`. Scripts, styles and the search index are compressed too (.gz).
 */
export const builtDocs: string = join(import.meta.dirname, '../dist')

/** Stands for the nonce of a response in `api.html`. */
export const noncePlaceholder = 'NONCE-OF-THE-RESPONSE'
