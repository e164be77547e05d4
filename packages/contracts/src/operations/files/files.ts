import { z } from 'zod'
import { userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { exampleFile, file, fileId, newFile } from '../../resources/file.ts'

const params = z.object({ id: fileId })

const fileName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name), 'expected no control characters, / or \\')
  .describe('Its name, without folders')

const mediaType = z
  .string()
  .max(255)
  .regex(/^[\w.+-]+\/[\w.+-]+\s*(?:;.*)?$/, 'expected a media type such as image/png')
  .default('application/octet-stream')
  .describe('Media type; its parameters are left out')

export const createFile = operation({
  id: 'createFile',
  method: 'POST',
  path: '/files',
  tag: 'Files',
  summary: 'Announce a file, and get where to PUT its bytes',
  description:
    'PUT exactly `size` bytes to `upload.url` with `upload.headers`, then POST /files/{id}/uploaded; then a message can carry the file in `attachments`. A file that is never sent goes after a day.',
  access: 'client-or-admin',
  scope: 'messages:write',
  form: 'envelope',
  body: z.strictObject({
    name: fileName,
    type: mediaType,
    size: z.number().int().min(1).describe('Bytes'),
    owner: userId
      .optional()
      .describe('With the API key only: the owner; without one, the integrator may send it in any user’s name'),
  }),
  result: newFile,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND', 'FILE_TOO_LARGE', 'FILES_FULL', 'STORAGE_FULL'],
  extension: true,
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

export const markUploaded = operation({
  id: 'markUploaded',
  method: 'POST',
  path: '/files/:id/uploaded',
  tag: 'Files',
  summary: 'Say that the bytes of a file are uploaded',
  description:
    'Looks whether they are all there and of the type. By the owner, or with the API key. Where the gateway took the bytes itself it knows already, and this only returns the file.',
  access: 'client-or-admin',
  scope: 'messages:write',
  form: 'envelope',
  params,
  result: file,
  errors: ['FILE_NOT_FOUND', 'FILE_TOO_LARGE', 'FILE_TYPE_MISMATCH'],
  extension: true,
  example: { result: exampleFile },
})

export const getFile = operation({
  id: 'getFile',
  method: 'GET',
  path: '/files/:id',
  tag: 'Files',
  summary: 'A file, and where to fetch its bytes',
  description:
    'For its owner, the integrator, and the members of a room that has a message with it, which is not deleted or recalled. The address needs no headers, takes range requests, and ends after five minutes.',
  access: 'client-or-admin',
  scope: 'messages:read',
  conversations: true,
  form: 'envelope',
  params,
  query: z.object({
    download: z.enum(['true', 'false']).default('false').describe('The browser is to save the file, not show it'),
    redirect: z.enum(['true', 'false']).default('false').describe('Return 302 to the address instead'),
  }),
  result: file,
  errors: ['FILE_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
  example: {
    query: { download: 'true' },
    result: {
      ...exampleFile,
      url: 'https://chat.example.com/files/66f0c1a2b3c4d5e6f7a8b9d1/content?…',
      urlExpiresAtMS: 1_795_176_300_000,
    },
  },
})
