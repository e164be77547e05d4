import { z } from 'zod'

/** How a device is reached: APNs, FCM, Web Push, Huawei Push Kit, or the operator's own relay. */
export const deviceType = z.enum(['ios', 'fcm', 'web', 'hms', 'relay'])
export type DeviceType = z.infer<typeof deviceType>
export const pushNetwork = z.enum(['apns', 'fcm', 'web', 'hms', 'relay'])
export type PushNetwork = z.infer<typeof pushNetwork>

/** Display names. */
export const pushNetworkNames: Record<PushNetwork, string> = {
  apns: 'APNs',
  fcm: 'FCM',
  web: 'Web Push',
  hms: 'Huawei Push Kit',
  relay: 'the relay',
}
