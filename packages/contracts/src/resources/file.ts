import { z } from 'zod'
import { madeId, naming, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'

/** Configuration key of the limits of an app's files. */
export const fileLimitsKey = 'fileLimits'
/** Its value. Limits are in bytes. */
export const fileLimits = z.strictObject({
  maxBytes: z.number().int().min(1).optional().describe('Maximum size of a file'),
  maxBytesPerUser: z.number().int().min(1).optional().describe('Maximum total size of a user’s files'),
  keepMetadata: z.boolean().optional().describe('Keep location, camera and time in images'),
})

export type FileLimits = z.output<typeof fileLimits>

/** Maximum number of files in a message. */
const maxAttachments = 10

export const fileId = naming('file', madeId().describe('File ID'))

const pixels = z.number().int().min(1).max(1_000_000)
const name = z.string().describe('Name given by the sender')
const type = z.string().describe('Media type')
const size = z.number().int().min(1).describe('Bytes')

/** Dimensions that a sender may give for an image, video or sound. */
const measures = {
  width: pixels.optional().describe('Pixels, as given by the sender'),
  height: pixels.optional().describe('Pixels, as given by the sender'),
  duration: z.number().min(0).max(1_000_000).optional().describe('Seconds, as given by the sender'),
}

/** A file of a message (docs/reference/files.md#send). */
export const attachment = z
  .object({ fileID: fileId, name, type, size, ...measures })
  .meta({ id: 'Attachment', ...ours })

/** A file to send. Name, type and size come from the stored file; given values are ignored. */
export const attachmentToSend = z.strictObject({
  fileID: fileId,
  ...{ name: name.optional(), type: type.optional(), size: size.optional() },
  ...measures,
})
export const attachmentsOrNone = z.array(attachmentToSend).max(maxAttachments)
export const attachments = attachmentsOrNone
  .min(1)
  .describe('Uploaded files of the sender; given name, type and size are ignored')
export type AttachmentToSend = z.output<typeof attachments>[number]

const fileFields = {
  fileID: fileId,
  name,
  type,
  size,
  owner: userId.optional().describe('Owner; absent for files of the API key'),
  status: z
    .enum(['waiting', 'checking', 'uploaded', 'refused'])
    .describe('`waiting`: not uploaded yet; `checking`: being scanned; `refused`: by the scanner'),
  createdAtMS: timeMS,
}

/** A file as seen by users with access (docs/reference/files.md). */
export const file = z
  .object({
    ...fileFields,
    url: z
      .string()
      .optional()
      .describe('Download URL, without headers, until urlExpiresAtMS; absent unless `uploaded`'),
    urlExpiresAtMS: timeMS.optional(),
    thumbnail: z
      .object({ url: z.string(), width: pixels, height: pixels })
      .optional()
      .describe('WebP of an image, at most 480 × 480 pixels; available some seconds after the upload'),
  })
  .meta({ id: 'File', ...ours })
export type File = z.infer<typeof file>

/** An announced file, with its upload URL. */
export const newFile = z
  .object({
    ...fileFields,
    url: z.string().describe('GET /files/{id}, with your headers'),
    upload: z.object({
      method: z.literal('PUT'),
      url: z.string().describe('Upload URL; the body is the bare file'),
      headers: z.record(z.string(), z.string()).describe('Headers to send with the upload'),
      expiresAtMS: timeMS,
    }),
  })
  .meta({ id: 'NewFile', ...ours })
export type NewFile = z.infer<typeof newFile>

export const exampleFile = {
  fileID: '66f0c1a2b3c4d5e6f7a8b9d1',
  name: 'Plan.pdf',
  type: 'application/pdf',
  size: 48_213,
  owner: 'alice',
  status: 'uploaded' as const,
  createdAtMS: 1_795_176_000_000,
}
