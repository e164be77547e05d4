import { join } from 'node:path'

/**
 * Folder of the built pages: `api.html`, `llms.txt`, a `.html` and a `.md` per page of docs/, `assets`, and Scalar's
 * files in `scalar-<version>`. Scripts, styles and the search index are also gzipped (.gz).
 */
export const builtDocs: string = join(import.meta.dirname, '../dist')

/** Placeholder in `api.html` for the response's nonce. */
export const noncePlaceholder = 'NONCE-OF-THE-RESPONSE'
