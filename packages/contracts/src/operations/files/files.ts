import { z } from 'zod'
import { userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { exampleFile, file, fileId, newFile } from '../../resources/file.ts'

const params = z.object({ id: fileId })

export const fileName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name), 'expected no control characters, / or \\')
  .describe('File name, without folders')

export const mediaType = z
  .string()
  .max(255)
  .regex(/^[\w.+-]+\/[\w.+-]+\s*(?:;.*)?$/, 'expected a media type such as image/png')
  .default('application/octet-stream')
  .describe('Media type; parameters are dropped')

export const createFile = operation('createFile', 'POST /files', {
  tag: 'Files',
  summary: 'Announce a file and get an upload URL',
  description:
    'PUT exactly `size` bytes to `upload.url` with `upload.headers`, then call POST /files/{id}/uploaded. Messages can then carry the file in `attachments`. A file that is never sent is deleted after a day.',
  access: 'client-or-admin',
  scope: 'messages:write',
  body: z.strictObject({
    name: fileName,
    type: mediaType,
    size: z.number().int().min(1).describe('Bytes'),
    owner: userId.optional().describe('Owner, API key only; without one, the API key may send the file as any user'),
  }),
  result: newFile,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND', 'FILE_TOO_LARGE', 'FILES_FULL', 'STORAGE_FULL'],
  example: {
    body: { name: 'Plan.pdf', type: 'application/pdf', size: 48_213 },
    result: {
      ...exampleFile,
      status: 'waiting',
      url: 'https://chat.example.com/files/66f0c1a2b3c4d5e6f7a8b9d1',
      upload: {
        method: 'PUT',
        url: 'https://chat.example.com/files/66f0c1a2b3c4d5e6f7a8b9d1/content?…',
        headers: { 'content-type': 'application/pdf' },
        expiresAtMS: 1_795_179_600_000,
      },
    },
  },
})

export const markUploaded = operation('markUploaded', 'POST /files/:id/uploaded', {
  tag: 'Files',
  summary: 'Confirm that a file is uploaded',
  description:
    'Checks that all bytes are there and match the type. For the owner or the API key. If the upload went through the gateway, this only returns the file.',
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  params,
  result: file,
  errors: ['FILE_NOT_FOUND', 'FILE_TOO_LARGE', 'FILE_TYPE_MISMATCH'],
  example: { result: exampleFile },
})

export const getFile = operation('getFile', 'GET /files/:id', {
  tag: 'Files',
  summary: 'Get a file and its download URL',
  description:
    'For the owner, the API key, and members of a room with a message that carries the file and is not deleted or recalled. The URL needs no headers, supports range requests and expires after five minutes.',
  access: 'client-or-admin',
  scope: 'messages:read',
  conversations: true,
  params,
  query: z.object({
    download: z.enum(['true', 'false']).default('false').describe('Make browsers save the file instead of showing it'),
    redirect: z.enum(['true', 'false']).default('false').describe('Return a 302 redirect to the URL instead'),
  }),
  result: file,
  errors: ['FILE_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { download: 'true' },
    result: {
      ...exampleFile,
      url: 'https://chat.example.com/files/66f0c1a2b3c4d5e6f7a8b9d1/content?…',
      urlExpiresAtMS: 1_795_176_300_000,
    },
  },
})
