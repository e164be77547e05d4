import { join } from 'node:path'

const build = process.env['PARLEY_TEST_BUILD']

/** The file of the `parley` command: the built one starts in a third of the time. */
export const parley = build === undefined ? join(import.meta.dirname, 'parley.ts') : join(build, 'parley.js')
