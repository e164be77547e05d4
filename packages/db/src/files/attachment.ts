/** A file in a message, as it was when sent. */
export interface Attachment {
  fileID: string
  name: string
  type: string
  size: number
  /** Of pictures and videos, in pixels; of videos and audio, in seconds: as stated by the sender. */
  width?: number
  height?: number
  duration?: number
}
