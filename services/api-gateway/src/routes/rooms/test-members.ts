import { startTestGateway, type TestUser } from '../../test-gateway.ts'

/** A gateway with a future group owner and member, a platform admin, and a user to add. */
export async function startWithMembers() {
  const gateway = await startTestGateway()
  const owner = await gateway.newUser('owner')
  const member = await gateway.newUser('member')
  const admin = await gateway.newUser('admin', { isAdmin: true })
  const carl = await gateway.newUser('c a/rl', { nickname: 'Carl' })
  return { gateway, owner, member, admin, carl }
}

export const add = (by: TestUser, room: string, invitees: string[], more = {}) =>
  by.call('POST', `/rooms/${room}/members`, { invitees, ...more })

export const take = (by: TestUser, room: string, members: string[], more = {}) =>
  by.call('POST', `/rooms/${room}/delete/members`, { members, ...more })
