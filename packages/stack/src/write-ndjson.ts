import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

export async function writeNdjson(file: string, objects: Iterable<object>): Promise<void> {
  function* lines() {
    for (const object of objects) yield `${JSON.stringify(object)}\n`
  }
  await pipeline(lines, createWriteStream(file))
}
