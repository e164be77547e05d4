import assert from 'node:assert/strict'
import type { Chat } from '@parley/chat/chat'
import { checkNext, createThumbnailTurns } from '@parley/chat/files/clear-files'
import type { Scanner } from '@parley/chat/files/scan-file'
import type { FileStore } from '@parley/files/file-store'
import { createThumbnails } from '@parley/files/thumbnails'
import type { Answer, CallApi } from '../../test-gateway.ts'

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** PUTs bytes to the URL from a file's announcement. */
export async function put(announced: Answer, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  assert.equal(announced.status, 200, JSON.stringify(announced.body))
  const { method, url, headers } = announced.body.result.upload
  return fetch(url, { method, headers, body: bytes })
}

/** Announces a file and uploads it; returns its ID. */
export async function upload(call: CallApi, bytes: Buffer<ArrayBuffer>, about: object = {}): Promise<string> {
  const announced = await call('POST', '/files', { name: 'a.bin', size: bytes.length, ...about })
  const answer = await put(announced, bytes)
  assert.equal(answer.status, 200, await answer.text())
  return announced.body.result.fileID
}

const makeThumbnail = createThumbnails(new AbortController().signal)

/** Does all the stats service's work on files due by a time, except for clearing deleted ones. */
export async function lookAtAll(
  chat: Chat,
  { store, scanner }: { store: FileStore; scanner?: Scanner },
  nowMS: number,
): Promise<void> {
  const nextThumbnail = createThumbnailTurns(chat, { store, makeThumbnail })
  const next = async () =>
    (await checkNext(chat, { store, scanner }, nowMS, 'toScan')) ||
    (await checkNext(chat, { store }, nowMS, 'others')) ||
    nextThumbnail(nowMS)
  while (await next()) continue
}
