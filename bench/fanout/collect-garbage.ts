import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Preloaded into every measured process: runs a garbage collection on SIGWINCH, which nothing else uses, so that memory
 * figures are comparable.
 */
process.on('SIGWINCH', () => collect())
