/** A file in a message, as it was when the message was sent. */
export interface Attachment {
  fileID: string
  name: string
  type: string
  size: number
  /** As stated by the sender: pixels for pictures and videos, seconds for videos and audio. */
  width?: number
  height?: number
  duration?: number
}
