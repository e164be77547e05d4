import type { UserDoc } from '@parley/db/users/documents'
import { addCommand, notifyFeed, type PendingEvents } from '../events/event-builders.ts'
import { toAdminUser } from '../views/user.ts'

/** Adds the event of a new or changed profile for the integrator's feed. */
export function profileChanged(pending: PendingEvents, user: UserDoc): void {
  const { mute: _mute, ...profile } = toAdminUser(user, [])
  notifyFeed(pending, { app: user.app, user: user.id }, 'user', profile)
}

/** Like profileChanged, for a profile that is saved. @param isKnown whether the user existed, so that it may be cached */
export function profileSaved(pending: PendingEvents, user: UserDoc, isKnown: boolean): void {
  if (isKnown) addCommand(pending, user.app, { do: 'profileChanged', user: user.id })
  profileChanged(pending, user)
}
