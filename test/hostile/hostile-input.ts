import type { Scene } from './test-scene.ts'

/** One row of the table of hostile inputs. */
export interface HostileInput {
  /** The input, and the expected response. */
  name: string
  /** Collections that it may change: a login is recorded with the user. */
  changes?: readonly string[]
  /** Lasts until the node's time limit ends it: inputs of a kind run concurrently. */
  isSilent?: true
  /** Sends it and asserts the response. Runs repeatedly in `npm run hostile`. */
  attack: (scene: Scene) => Promise<void>
}

/** A value nested in objects, `depth` levels deep, as JSON text. */
export function nestedJson(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}
