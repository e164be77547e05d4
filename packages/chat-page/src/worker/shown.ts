import type { NotificationTarget } from './notification-target.ts'

/** Pages and the worker take turns: Chromium 156 loses a notification shown while another call lists them. */
export const lockNotifications = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks.request('parley.notifications', work)

export const show = (
  registration: ServiceWorkerRegistration,
  [title, options]: [title: string, options: NotificationOptions],
): Promise<void> => lockNotifications(() => registration.showNotification(title, options))

/** Closes the notifications for which `isOver` is true. */
export const closeShown = (
  registration: ServiceWorkerRegistration,
  isOver: (target: NotificationTarget) => boolean,
): Promise<void> =>
  lockNotifications(async () => {
    for (const shown of await registration.getNotifications()) if (isOver(shown.data ?? {})) shown.close()
  })
