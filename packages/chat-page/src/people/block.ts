import type { Client, ParleyError } from '@parley/client'

/** Blocks a user. Succeeds if they are already blocked. */
export async function block(client: Client, blockee: string): Promise<void> {
  try {
    await client.api.blockUser({ blockee })
  } catch (error) {
    if ((error as ParleyError).code !== 'USER_ALREADY_BLOCKED') throw error
  }
}
