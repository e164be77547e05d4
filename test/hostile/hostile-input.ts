import type { Scene } from './test-scene.ts'

/** One row of the table of hostile inputs. */
export interface HostileInput {
  /** The input, and the expected answer. */
  name: string
  /** Collections that it may change: a login is noted with the user. */
  changes?: readonly string[]
  /** Nothing happens until the node ends it for its time: those of a kind run at the same time. */
  isSilent?: true
  /** Sends it and asserts the answer. Runs again and again in `npm run hostile`. */
  attack: (scene: Scene) => Promise<void>
}

/** A value nested in objects, `depth` levels deep, as JSON text. */
export function nestedJson(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}
