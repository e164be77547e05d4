import { execFileSync } from 'node:child_process'

/** The files of a ZIP by name, read by another program. */
export function unzipped(zip: Buffer): Record<string, string> {
  const program = `
import io, json, sys, zipfile
zip = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert zip.testzip() is None
print(json.dumps({name: zip.read(name).decode('latin1') for name in zip.namelist()}))`
  const json = execFileSync('python3', ['-c', program], { input: zip, maxBuffer: 1024 ** 3 })
  const texts = JSON.parse(json.toString()) as Record<string, string>
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text, 'latin1').toString()]))
}

/** The objects of NDJSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- lines of every shape
export function linesIn(text = ''): any[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)
}
