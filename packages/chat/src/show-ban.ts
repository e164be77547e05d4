import type { Ban, Block } from '@parley/contracts/resources/ban'
import type { BanDoc } from '@parley/db/bans'
import type { BlockDoc } from '@parley/db/blocks'
import type { UserDoc } from '@parley/db/users'

/** A ban as answers show it; `updatedAt` is when it was made, or lifted. */
export function showBan(ban: BanDoc, user: UserDoc | undefined, updatedAt: Date = ban.createdAt): Ban {
  return { ...showBlock(ban, user, updatedAt), room: ban.room }
}

export function showBlock(
  { app, blocker, blockee, createdAt }: Omit<BlockDoc, '_id' | 'blockerKey'>,
  user: UserDoc | undefined,
  updatedAt: Date = createdAt,
): Block {
  return {
    appID: app,
    blockee: {
      _id: blockee,
      id: blockee,
      nickname: user?.nickname ?? '',
      avatarUrl: user?.avatarUrl ?? '',
      lastLoginTimeMS: user?.lastLoginTimeMS ?? 0,
    },
    blocker,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
