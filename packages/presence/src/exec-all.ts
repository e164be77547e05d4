import type { ChainableCommander } from 'ioredis'

/**
 * Runs a pipeline or transaction. Returns the replies. `exec` alone resolves even if commands fail, for example because
 * Redis is down.
 * @throws the error of the first failed command
 */
export async function execAll(commands: ChainableCommander): Promise<unknown[]> {
  const replies = (await commands.exec()) ?? []
  return replies.map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}
