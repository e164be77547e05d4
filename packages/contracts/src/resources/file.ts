import { z } from 'zod'
import { madeId, naming, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'

/** The configuration key that holds the limits of an app's files. */
export const fileLimitsKey = 'fileLimits'
/** Its value. Limits are in bytes. */
export const fileLimits = z.strictObject({
  maxBytes: z.number().int().min(1).optional().describe('Of one file'),
  maxBytesPerUser: z.number().int().min(1).optional().describe('Of all files of a user'),
  keepMetadata: z.boolean().optional().describe('Pictures keep the place, camera and time that they name'),
})

export type FileLimits = z.output<typeof fileLimits>

/** A message has at most this many files. */
const maxAttachments = 10

export const fileId = naming('file', madeId().describe('File ID'))

const pixels = z.number().int().min(1).max(1_000_000)
const name = z.string().describe('As the sender called it')
const type = z.string().describe('Media type')
const size = z.number().int().min(1).describe('Bytes')

/** Dimensions that a sender may give for a picture, a video or a sound. */
const measures = {
  width: pixels.optional().describe('In pixels, as the sender says'),
  height: pixels.optional().describe('In pixels, as the sender says'),
  duration: z.number().min(0).max(1_000_000).optional().describe('In seconds, as the sender says'),
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
  .describe('Uploaded files of the sender; name, type and size are those of the file, whatever is given')
export type AttachmentToSend = z.output<typeof attachments>[number]

const fileFields = {
  fileID: fileId,
  name,
  type,
  size,
  owner: userId.optional().describe('Its user; absent for a file of the integrator’s'),
  status: z
    .enum(['waiting', 'checking', 'uploaded', 'refused'])
    .describe(
      '`waiting`: it has not been uploaded yet; `checking`: a scanner looks at it first; `refused`: by the scanner',
    ),
  createdAtMS: timeMS,
}

/** A file as seen by users with access (docs/reference/files.md). */
export const file = z
  .object({
    ...fileFields,
    url: z
      .string()
      .optional()
      .describe('Where its bytes are, without any header, until urlExpiresAtMS; absent while it is not `uploaded`'),
    urlExpiresAtMS: timeMS.optional(),
    thumbnail: z
      .object({ url: z.string(), width: pixels, height: pixels })
      .optional()
      .describe('Of a picture, at most 480 pixels wide and high, a WebP: some seconds after it was uploaded'),
  })
  .meta({ id: 'File', ...ours })
export type File = z.infer<typeof file>

/** A file that was announced, and where its bytes go. */
export const newFile = z
  .object({
    ...fileFields,
    url: z.string().describe('Fetch it here with your headers: GET /files/{id}'),
    upload: z.object({
      method: z.literal('PUT'),
      url: z.string().describe('Where the bytes go: the body is the file, nothing else'),
      headers: z.record(z.string(), z.string()).describe('To send with them'),
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
