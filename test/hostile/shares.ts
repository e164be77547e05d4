import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { eventually } from '../platform.ts'
import type { HostileInput } from './hostile-input.ts'

const fileBytes = 1024 * 1024
const atOnce = 40

/** Users that take more than their share of common resources. */
export const hostileShares: HostileInput[] = [
  {
    name: 'forty uploads at once to one signed address hold the bytes of one file: a new one aborts the previous one',
    changes: ['files'],
    async attack({ member, filesFolder }) {
      const { fileID, upload } = (await member.call('POST', '/files', { name: 'a.bin', size: fileBytes })) as {
        fileID: string
        upload: { url: string }
      }
      const codes: (string | undefined)[] = []
      const uploads = Array.from({ length: atOnce }, () => {
        const sent = request(upload.url, { method: 'PUT', headers: { 'content-length': fileBytes } })
        // The gateway closes the connection after refusing.
        sent.on('error', () => undefined)
        sent.write(Buffer.alloc(fileBytes / 2))
        const over = async () => {
          const [answer] = (await once(sent, 'response')) as [IncomingMessage]
          const { error } = (await json(answer)) as { error?: { code: string } }
          codes.push(error?.code)
        }
        return { sent, over: over() }
      })
      await eventually('all but one are refused', () => codes.length === atOnce - 1)
      const folder = join(filesFolder, fileID.slice(-2), fileID)
      const held = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
      assert.ok(held.length <= 1 && (held[0] ?? 0) <= fileBytes, `${held.length} uploads: ${held.join(', ')} bytes`)
      for (const { sent } of uploads) sent.end(Buffer.alloc(fileBytes / 2))
      await Promise.all(uploads.map(({ over }) => over))
      assert.deepEqual(new Set(codes), new Set(['UPLOAD_REPLACED', undefined]))
      assert.equal(codes.filter((code) => code === undefined).length, 1)
    },
  },
  {
    name: "sixty searches of one user at once are 200 or 429, and another user's searches are all 200",
    changes: ['searchProgress', 'searchTexts'],
    async attack({ gateway, member, owner }) {
      const search = async ({ headers }: { headers: Record<string, string> }) => {
        const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
        const body = JSON.stringify({ type: ['messages'], keyword: 'hello' })
        const answer = await fetch(`${gateway.url}/search`, { ...init, body })
        await answer.arrayBuffer()
        return answer.status
      }
      const many = Array.from({ length: 60 }, () => search(member))
      for (let i = 0; i < 5; i++) {
        assert.equal(await search(owner), 200)
        const changes = await fetch(`${gateway.url}/me/changes?since=${Date.now()}`, { headers: owner.headers })
        assert.notEqual(changes.status, 429)
        assert.ok(changes.status < 500, `${changes.status}`)
      }
      for (const status of await Promise.all(many)) assert.ok(status === 200 || status === 429, `${status}`)
    },
  },
]
