/** The target of a notification. */
export interface Place {
  room?: string | undefined
  threadOf?: string | undefined
  messageID?: string | undefined
}
