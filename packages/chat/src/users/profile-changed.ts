import type { UserDoc } from '@parley/db/users/documents'
import { notifyFeed, type PendingEvents } from '../events/event-builders.ts'
import { toAdminUser } from '../views/user.ts'

/** Adds the event of a new or changed profile for the integrator's feed. */
export function profileChanged(pending: PendingEvents, user: UserDoc): void {
  const { mute: _mute, ...profile } = toAdminUser(user, [])
  notifyFeed(pending, { app: user.app, user: user.id }, 'user', profile)
}
