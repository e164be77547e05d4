/** A file that somebody uploads to send it. Its bytes are in the store of files, never here. */
export interface FileDoc {
  /** key(app, id) */
  _id: string
  app: string
  /** 24 hexadecimal digits, which no other app has either. */
  id: string
  /** The owner; absent for the integrator's. */
  owner?: string
  ownerKey?: string
  name: string
  /** Media type, lower case, without parameters. */
  type: string
  /** Bytes. */
  size: number
  /** Signs its addresses. */
  secret: string
  createdAtMS: number
  /** The upload that began last, by its name in the store: no other is taken. */
  uploading?: string
  /** Which of the uploads was taken, by its name in the store; absent while none has been. */
  stored?: string
  /** Whether it still has to be scanned, or was refused: then it is not given out. */
  scan?: 'pending' | 'refused'
  /** A thumbnail of it is still to be made. */
  wantsThumbnail?: true
  /** How often that was begun. */
  thumbnailTries?: number
  /** Its name in the store, and its size in pixels. */
  thumbnail?: { stored: string; width: number; height: number }
  /** When it is looked at again, whether anything refers to it (chat/files/clear-files.ts). */
  lookAtMS: number
  /** Keeps it until then, referenced or not: a message with it is being sent. */
  heldUntilMS?: number
  /** A message that had it has it no more: while nothing else refers to it, it does not stay. */
  lost?: true
}

/**
 * Work that is left for files that are gone or refused, for any process: removing the bytes of one from the store, or
 * looking at the files of a deleted room.
 */
export interface FilesToClearDoc {
  /** The ID of the file; of a room, key(app, room). */
  _id: string
  room?: { app: string; id: string }
  /** Of a file: until then somebody may still upload it. */
  uploadUntilMS?: number
  /** When a process may take it; when one has, that is after it has died. */
  nextMS: number
}
