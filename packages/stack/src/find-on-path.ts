import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The first executable with this name on the PATH. */
export async function findOnPath(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const dir of env.PATH?.split(delimiter) ?? []) {
    const path = join(dir, program)
    const canRun = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (canRun) return path
  }
  return undefined
}
