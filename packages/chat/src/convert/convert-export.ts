import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeNewFile } from '@parley/files/new-file'
import { convertCometChat } from './cometchat.ts'
import { Converted } from './converted.ts'
import { convertMattermost } from './mattermost.ts'
import { convertRocketChat } from './rocket-chat.ts'
import { convertSlack } from './slack.ts'

export const convertible = ['slack', 'mattermost', 'rocket.chat', 'cometchat'] as const
export type Convertible = (typeof convertible)[number]

const converters: Record<Convertible, (path: string, out: Converted, filesAt?: string) => Promise<void>> = {
  slack: convertSlack,
  mattermost: convertMattermost,
  'rocket.chat': convertRocketChat,
  cometchat: convertCometChat,
}

/**
 * Converts the export of another chat service to `import.ndjson`, the input of an import
 * (docs/guides/import.md#the-file).
 * @param from the file or folder of the export
 * @returns the number of lines by type, and of omissions by kind
 * @throws Error if it is not an export of the service
 */
export async function convertExport(
  service: Convertible,
  { from, to, filesAt }: { from: string; to: string; filesAt?: string | undefined },
  onProgress: (lines: number) => void,
): Promise<Pick<Converted, 'counts' | 'lost'>> {
  const found = await stat(from).catch(() => undefined)
  if (!found) throw new Error(`${from}: no such file or folder`)
  const isFolder = found.isDirectory()
  if (service === 'mattermost' && isFolder) throw new Error(`${from} is a folder: name the JSONL file in it`)
  if ((service === 'slack' || service === 'rocket.chat') && !isFolder) {
    throw new Error(`${from} is a file: name the folder with the JSON files of the export`)
  }
  const out = await Converted.begin(to, onProgress)
  return writeNewFile(out.path, async () => {
    await converters[service](from, out, filesAt)
    await out.end()
    if (out.counts.size === 0) throw new Error(`${from} contains nothing of an export of ${service}`)
    await rename(out.path, join(to, 'import.ndjson'))
    return out
  })
}
