import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The migration of `nextRelease`, and its new message field. */
export const nextMigration = '0002-origin'
export const nextField = 'origin'

const changes: Record<string, [before: string, after: string]> = {
  'packages/db/src/schema.ts': [
    "{ name: '0001-baseline', up: makeIndexes }",
    `{ name: '0001-baseline', up: makeIndexes },
      {
        name: '${nextMigration}',
        async up(mongo) {
          const messages = mongo.collection('messages')
          await messages.updateMany({ ${nextField}: { $exists: false } }, { $set: { ${nextField}: 'before' } })
          await messages.createIndex({ ${nextField}: 1 })
        },
      }`,
  ],
  'packages/chat/src/send/new-message.ts': [
    'messageType: draft.messageType,',
    `messageType: draft.messageType, ...{ ${nextField}: 'next' },`,
  ],
}

/** Simulates the next release: copies this one with one more migration and field. @returns its root */
export function nextRelease(): string {
  const next = mkdtempSync(join(tmpdir(), 'parley-next-'))
  for (const folder of ['packages', 'services']) {
    cpSync(join(root, folder), join(next, folder), { recursive: true, verbatimSymlinks: true })
  }
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(next, file))
  symlinkSync(join(root, 'node_modules'), join(next, 'node_modules'))
  for (const [file, [before, after]] of Object.entries(changes)) {
    const text = readFileSync(join(next, file), 'utf8')
    if (!text.includes(before)) throw new Error(`${file}: without ${before}`)
    writeFileSync(join(next, file), text.replace(before, after))
  }
  return next
}
