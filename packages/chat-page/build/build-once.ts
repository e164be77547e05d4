import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '../../..')

export interface Build {
  /** Output folder. */
  to: string
  /** Glob patterns of the input files, relative to the repository's root. */
  sources: readonly string[]
  /** Builds into a folder that does not exist yet. */
  build: (fresh: string) => Promise<void>
  /** Whether a gateway serves the files, which are then also compressed (.br, .gz). True by default. */
  isServed?: boolean
}

/** Builds a folder of browser files unless the existing build is up to date. @returns whether it was built */
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

/** Replaces the old build. A concurrent build by another process has the same content. */
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
