/** A file uploaded to be sent. Its bytes are in the file store, never here. */
export interface FileDoc {
  /** key(app, id) */
  _id: string
  app: string
  /** 24 hexadecimal digits, unique across apps. */
  id: string
  /** The owner; absent for the integrator's. */
  owner?: string
  ownerKey?: string
  name: string
  /** Media type, lower case, without parameters. */
  type: string
  /** Bytes. */
  size: number
  /** Signs its URLs. */
  secret: string
  createdAtMS: number
  /** The last upload that began, by its name in the store: only this one is accepted. */
  uploading?: string
  /** The accepted upload, by its name in the store; absent until there is one. */
  stored?: string
  /** Whether it still has to be scanned, or was refused: then it is not delivered. */
  scan?: 'pending' | 'refused'
  /** Its thumbnail is still to be made. */
  wantsThumbnail?: true
  /** The number of attempts. */
  thumbnailTries?: number
  /** Its name in the store, and its size in pixels. */
  thumbnail?: { stored: string; width: number; height: number }
  /** When it is checked again for references (chat/files/clear-files.ts). */
  lookAtMS: number
  /** Keeps it until then, referenced or not: a message with it is being sent. */
  heldUntilMS?: number
  /** A message has lost it: unless something else refers to it, it goes. */
  lost?: true
}

/**
 * Pending work on removed or refused files, for any process: removing the bytes of one from the store, or checking the files of a
 * deleted room.
 */
export interface FilesToClearDoc {
  /** The ID of the file; of a room, key(app, room). */
  _id: string
  room?: { app: string; id: string }
  /** Of a file: it can still be uploaded until then. */
  uploadUntilMS?: number
  /** When a process may take it; once taken, the time at which its lease ends. */
  nextMS: number
}
