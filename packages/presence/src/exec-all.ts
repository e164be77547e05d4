import type { ChainableCommander } from 'ioredis'

/** Runs a pipeline or transaction: `exec` alone resolves even if commands fail. @throws the first command's error */
export async function execAll(commands: ChainableCommander): Promise<unknown[]> {
  const replies = (await commands.exec()) ?? []
  return replies.map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}
