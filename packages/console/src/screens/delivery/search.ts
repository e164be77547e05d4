import type { Operation } from '../../session/session.tsx'

export const deliveryTabs = ['calls', 'dead', 'push', 'devices'] as const
type DeliveryTab = (typeof deliveryTabs)[number]

/** The operation that an operator must be allowed to call to see a part. */
export const neededFor: Record<DeliveryTab, Operation> = {
  calls: 'GET /admin/webhooks/calls',
  dead: 'GET /admin/webhooks/failed',
  push: 'GET /admin/push/why',
  devices: 'GET /admin/push/devices',
}

export interface DeliverySearch {
  tab?: DeliveryTab | undefined
  room?: string | undefined
  user?: string | undefined
  /** Push: the message to explain. */
  message?: string | undefined
  /** Dead letters: the calls before the shown ones. */
  skip?: number | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
}
