export interface NotificationTarget {
  room?: string | undefined
  threadOf?: string | undefined
  messageID?: string | undefined
}
