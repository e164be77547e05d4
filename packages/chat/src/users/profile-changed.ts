import type { UserDoc } from '@parley/db/users/users'
import type { PendingEvents } from '../events/change-and-notify.ts'
import { notifyFeed } from '../events/notify-feed.ts'
import { toAdminUser } from '../views/user.ts'

/** Adds the event of a new or changed profile for the integrator's feed. */
export function profileChanged(pending: PendingEvents, user: UserDoc): void {
  const { mute: _mute, ...profile } = toAdminUser(user, [])
  notifyFeed(pending, { app: user.app, user: user.id }, 'user', profile)
}
