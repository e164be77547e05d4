import { readFileSync } from 'node:fs'
import { eventually, type RunningService } from './platform.ts'

/** Waits until a service's log matches. Services write their logs asynchronously. */
export async function logged({ logFile }: Pick<RunningService, 'logFile'>, pattern: RegExp): Promise<void> {
  await eventually(`the log has ${pattern.source}`, () => pattern.test(readFileSync(logFile, 'utf8')))
}
