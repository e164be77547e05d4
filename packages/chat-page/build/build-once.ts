import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '../../..')

export interface Build {
  /** The folder of the result. */
  to: string
  /** Patterns of files that the result depends on, from the root of the checkout. */
  sources: readonly string[]
  /** Fills a folder that does not exist yet. */
  build: (fresh: string) => Promise<void>
  /** Each file is also compressed (.br, .gz), as a gateway serves it: so it is by default. */
  isServed?: boolean
}

/**
 * Builds a folder of files for browsers, unless the present build is of these very sources.
 * @returns whether it was built
 */
export async function buildOnce({ to, sources, build, isServed = true }: Build): Promise<boolean> {
  const builtFrom = join(to, '.built-from')
  const digest = digestOf(sources)
  if (existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === digest) return false
  const fresh = `${to}.${randomUUID()}`
  await build(fresh)
  for (const name of isServed ? readdirSync(fresh) : []) {
    const content = readFileSync(join(fresh, name))
    writeFileSync(join(fresh, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(fresh, `${name}.br`), brotliCompressSync(content))
  }
  writeFileSync(join(fresh, '.built-from'), digest)
  putInPlace(fresh, to)
  return true
}

/** Another process that builds at the same time builds the same. */
function putInPlace(fresh: string, to: string): void {
  const old = `${to}.${randomUUID()}`
  if (existsSync(to)) renameSync(to, old)
  renameSync(fresh, to)
  rmSync(old, { recursive: true, force: true })
}

function digestOf(sources: readonly string[]): string {
  const digest = createHash('sha256')
  for (const file of globSync([...sources], { cwd: root }).toSorted()) {
    digest
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return digest.digest('hex')
}
