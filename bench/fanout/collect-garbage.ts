import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Preloaded into measured processes: SIGWINCH collects garbage, so that memory figures are comparable. */
process.on('SIGWINCH', () => collect())
