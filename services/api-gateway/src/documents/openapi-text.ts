import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * The OpenAPI document as JSON text. It is made when somebody asks for it first, by a thread of its own: it takes a second
 * or two of CPU, which neither the start of every gateway nor the callers meanwhile should pay.
 */
export function createOpenApiText(): () => Promise<string> {
  let made: Promise<string> | undefined
  return () => {
    made ??= makeText().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

async function makeText(): Promise<string> {
  const worker = new Worker(new URL('./openapi-worker.ts', import.meta.url))
  const [text] = (await once(worker, 'message')) as [string]
  return text
}
