import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkFile } from '@parley/chat/import/check-file'
import { importFile } from '@parley/chat/import/import-file'
import { verifyImport } from '@parley/chat/import/verify-import'
import type { TestGateway } from '../test-gateway.ts'

export type Line = Record<string, unknown>

/** Imports lines without a problem into the app of a gateway. @param folder for the file of the lines */
export async function importLines(
  { app, chat, store }: TestGateway,
  folder: string,
  lines: readonly Line[],
): Promise<void> {
  const path = join(folder, 'export.ndjson')
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'))
  const found: unknown[] = []
  const onProblem = (problem: unknown) => void found.push(problem)
  const watching = { onProgress: () => undefined, onProblem }
  const { file } = await checkFile(chat.db, app, path, watching)
  await importFile(chat.db, app, file, { ...watching, files: { store, onFile: () => undefined, onFault: onProblem } })
  assert.deepEqual(found, [])
  assert.deepEqual(await verifyImport(chat.db, app, file, watching), [])
}
