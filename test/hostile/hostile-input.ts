import type { Scene } from './test-scene.ts'

/** A row of the table of hostile inputs. */
export interface HostileInput {
  /** The input and the expected response. */
  name: string
  /** Collections that it may change. For example, a login is recorded with the user. */
  changes?: readonly string[]
  /** Lasts until a timeout of the node, so such inputs run concurrently. */
  isSilent?: true
  /** Sends the input and asserts the response. `npm run hostile` runs it repeatedly. */
  attack: (scene: Scene) => Promise<void>
}

/** A value nested in objects, `depth` levels deep, as JSON text. */
export function nestedJson(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}
