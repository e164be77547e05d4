import { join } from 'node:path'

const build = process.env['PARLEY_TEST_BUILD']

/** The `parley` command: built, or its TypeScript if there is no build. */
export const parleyFile =
  build === undefined ? join(import.meta.dirname, '../services/api-gateway/src/parley.ts') : join(build, 'parley.js')

/** The environment of a command that needs no more. */
export const commandEnv = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
