import type { Ban, Block } from '@parley/contracts/resources/ban'
import type { BanDoc } from '@parley/db/rooms/documents'
import type { BlockDoc, UserDoc } from '@parley/db/users/documents'

/** A ban as seen by clients. `updatedAt` is when it was made or lifted. */
export function toBanView(ban: BanDoc, user: UserDoc | undefined, updatedAt: Date = ban.createdAt): Ban {
  const { room, untilMS } = ban
  return { ...toBlockView(ban, user, updatedAt), room, ...(untilMS !== undefined && { untilMS }) }
}

export function toBlockView(
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
