import type { ScannedFile } from '@parley/chat/files/scan-file'

const withinMS = 30_000

/** Asks the scanner whether a file is clean. @throws if the response does not say */
export async function askScanner(url: string, file: ScannedFile): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(file),
    signal: AbortSignal.timeout(withinMS),
    redirect: 'error',
  })
  const { clean } = response.ok ? ((await response.json()) as { clean?: unknown }) : {}
  if (typeof clean !== 'boolean') {
    throw new Error(`the scanner returned ${response.status} without clean: true or false`)
  }
  return clean
}
