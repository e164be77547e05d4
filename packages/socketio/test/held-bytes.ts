import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { until } from './nodes.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What this process holds of memory, its servers included, after a collection. */
export function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** What has finalizers or stands in a task that is not over is let go by a later collection; a leak never is. */
export function memoryBack(bytes: number): Promise<void> {
  return until(() => heldBytes() < bytes, `less than ${bytes} bytes are held`)
}
