export const deliveryTabs = ['calls', 'dead', 'push'] as const
type DeliveryTab = (typeof deliveryTabs)[number]

export interface DeliverySearch {
  tab?: DeliveryTab | undefined
  room?: string | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
}
