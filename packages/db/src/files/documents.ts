/** A file uploaded to be sent. The file store has its bytes. */
export interface FileDoc {
  /** key(app, id) */
  _id: string
  app: string
  /** 24 hexadecimal digits, unique across apps. */
  id: string
  /** The owner; absent for the integrator's files. */
  owner?: string
  ownerKey?: string
  name: string
  /** Media type, lower case, without parameters. */
  type: string
  /** Bytes. */
  size: number
  /** Signs the file's URLs. */
  secret: string
  createdAtMS: number
  /** Store name of the latest upload. Earlier uploads are not accepted. */
  uploading?: string
  /** Store name of the accepted upload; absent until there is one. */
  stored?: string
  /** The file is not delivered while a scan is pending, or once it is refused. */
  scan?: 'pending' | 'refused'
  /** The thumbnail is still to be made. */
  wantsThumbnail?: true
  /** Number of attempts to make the thumbnail. */
  thumbnailTries?: number
  /** The thumbnail's store name, and its size in pixels. */
  thumbnail?: { stored: string; width: number; height: number }
  /** When the file is next checked for work and references (chat/files/clear-files.ts). */
  checkAtMS: number
  /** The file is kept until this time even without references: a message with it is being sent. */
  heldUntilMS?: number
  /** A message that had the file was removed. The file is deleted unless something else refers to it. */
  lost?: true
}

/** Pending cleanup: of the stored bytes of a removed or refused file, or of the files of a deleted room. */
export interface FilesToClearDoc {
  /** The file's ID, or key(app, room) for a room. */
  _id: string
  room?: { app: string; id: string }
  /** For a file: end of its upload window. */
  uploadUntilMS?: number
  /** When the work is due; once claimed, when the lease ends. */
  nextMS: number
}

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
