import type { adminPost } from './admin-post.ts'

/** Members per request. A body may have at most 1 MiB. */
const membersAtOnce = 50_000

/** Creates a group of any size. Returns the seconds for the first 50,000 members and for the rest. */
export async function createLargeRoom(
  post: ReturnType<typeof adminPost>,
  room: string,
  members: readonly string[],
): Promise<{ createdSeconds: number; addedSeconds: number }> {
  const begunMS = performance.now()
  await post('/rooms/', { _id: room, roomType: 'group', members: members.slice(0, membersAtOnce) })
  const createdMS = performance.now()
  for (let from = membersAtOnce; from < members.length; from += membersAtOnce) {
    await post(`/rooms/${room}/members`, { invitees: members.slice(from, from + membersAtOnce) })
  }
  const addedSeconds = (performance.now() - createdMS) / 1_000
  return { createdSeconds: (createdMS - begunMS) / 1_000, addedSeconds }
}
