import { join } from 'node:path'

/** Arguments of Node.js for processes that keep their compiled TypeScript for later starts, under .parley. */
export const keepCompiled: readonly string[] = [
  '--import',
  join(import.meta.dirname, '../../packages/service/src/compiled.js'),
]
