/** Names of push networks, by device type and by network. */
export const networkNames = {
  ios: 'APNs',
  apns: 'APNs',
  fcm: 'FCM',
  web: 'Web Push',
  hms: 'Huawei Push Kit',
  relay: 'Relay',
} as const
