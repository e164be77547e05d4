import { join } from 'node:path'

const build = process.env['PARLEY_TEST_BUILD']

/** The `parley` command: built, which starts in a third of the time, or its TypeScript without a build. */
export const parleyFile =
  build === undefined
    ? join(import.meta.dirname, '../../../services/api-gateway/src/parley.ts')
    : join(build, 'parley.js')

/** The minimal environment of a command. */
export const commandEnv = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
