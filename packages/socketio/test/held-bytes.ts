import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually } from '@parley/stack/eventually'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The memory in use by this process, including its servers, after garbage collection. */
export function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Objects with finalizers or pending tasks are freed by a later collection; a leak never is. */
export async function memoryBack(bytes: number): Promise<void> {
  await eventually(`less than ${bytes} bytes are held`, () => heldBytes() < bytes)
}
