import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as modules from 'node:module'
import { join } from 'node:path'

/*
 * `node --import …/compiled.js services/…/main.ts`: keeps what Node.js makes of the TypeScript, for later starts. Node 22
 * strips the types of every file at every start, and compiles it: a third of what a start costs. A file that has changed
 * is made anew. Without this, or where nothing can be written, everything runs all the same.
 */
/** What the system says where we may not write, as in a container, or not read. */
const cannot = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC'])
const folder = join(import.meta.dirname, '../../../.parley/compiled')

// Coverage is less exact in code that was kept. Node 20, which some run npm with, cannot do it.
if (process.env.NODE_V8_COVERAGE === undefined && modules.registerHooks) {
  modules.enableCompileCache(join(folder, 'code'))
  const stripped = join(folder, 'stripped')
  modules.registerHooks({
    load(url, context, next) {
      if (context.format !== 'module-typescript') return next(url, context)
      const source = readFileSync(new URL(url))
      const digest = hash('sha1', source)
      const file = join(stripped, hash('sha1', url))
      return { format: 'module', source: read(file, digest) ?? make(file, digest, source), shortCircuit: true }
    },
  })
}

/** What was kept of a file with this content. */
function read(file, digest) {
  try {
    const kept = readFileSync(file, 'utf8')
    return kept.startsWith(digest) ? kept.slice(digest.length) : undefined
  } catch (error) {
    if (error.code === 'ENOENT' || cannot.has(error.code)) return undefined
    throw error
  }
}

function make(file, digest, source) {
  const { emitWarning } = process
  // That this function is experimental; Node.js uses it all the time.
  process.emitWarning = () => undefined
  const made = modules.stripTypeScriptTypes(source.toString())
  process.emitWarning = emitWarning
  try {
    mkdirSync(join(file, '..'), { recursive: true })
    // Others may read and write it at the same time.
    const mine = `${file}.${randomUUID()}`
    writeFileSync(mine, digest + made)
    renameSync(mine, file)
  } catch (error) {
    if (!cannot.has(error.code)) throw error
  }
  return made
}
