import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Preloaded into every measured process: on SIGWINCH, which nothing else listens to, it collects its garbage, so that
 * memory is compared like with like.
 */
process.on('SIGWINCH', () => collect())
