import { realpathSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Plugin, rolldown } from 'rolldown'

const help = `Usage: npm run build:services [-- folder]

Builds the services and the parley command as JavaScript with source maps into a folder of this checkout, by default
build/: api-gateway.js, realtime.js, push.js, stats.js, all-in-one.js
(all four in one process), parley.js. They need node_modules for a few libraries only.`

const root = join(import.meta.dirname, '..')
const inputs = {
  ...Object.fromEntries(
    ['api-gateway', 'realtime', 'push', 'stats', 'all-in-one'].map((name) => [name, `services/${name}/src/main.ts`]),
  ),
  parley: 'services/api-gateway/src/parley.ts',
}
/** Not bundled: these load binaries and other files relative to their own path, and umzug's command line cannot be bundled. */
const unbundled = new Set(['@node-rs/argon2', 'koffi', 'sharp', 'umzug', 'uWebSockets.js', 'uWebSockets.js-20.69'])
/** Optional dependencies of the MongoDB driver that are not installed. */
const absent =
  /^(?:@aws-sdk\/credential-providers|@mongodb-js\/zstd|gcp-metadata|kerberos|mongodb-client-encryption|snappy)$/

/** Keeps paths correct that modules derive from their own location. */
function inPlace(folder: string): Plugin {
  return {
    name: 'in-place',
    async resolveId(id, importer) {
      if (!unbundled.has(id) || importer === undefined) return null
      const found = await this.resolve(id, importer, { skipSelf: true })
      const link = join(importer.slice(0, importer.indexOf('/src/', root.length)), 'node_modules', id)
      const file = relative(realpathSync(link), found?.id ?? '')
      return { id: `./${relative(folder, join(link, file))}`, external: true }
    },
    transform(code, id) {
      if (!id.endsWith('.ts') || id.includes('/node_modules/', root.length) || !code.includes('import.meta.'))
        return null
      const worker = /new URL\('(\.\/([\w-]+)\.ts)', import\.meta\.url\)/g
      for (const [, file = '', name = ''] of code.matchAll(worker))
        this.emitFile({ type: 'chunk', id: join(dirname(id), file), fileName: `${name}.js` })
      const source = JSON.stringify(`/${relative(folder, dirname(id))}`)
      const moved = code
        .replaceAll(worker, "new URL('./$2.js', import.meta.url)")
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${source})`)
      // Line numbers do not change.
      return { code: moved, map: null }
    },
  }
}

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
})
if (values.help) console.log(help)
else {
  const folder = join(root, positionals[0] ?? 'build')
  rmSync(folder, { recursive: true, force: true })
  const build = await rolldown({
    cwd: root,
    input: inputs,
    platform: 'node',
    external: absent,
    // Rolldown considers calls such as `decodeURIComponent(x)` free of side effects and drops them, although they can throw.
    treeshake: false,
    plugins: [inPlace(folder)],
    onLog(level, log, print) {
      // Ignore warnings about libraries.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      if (!/node_modules/.test(`${log.id ?? ''}${log.message}`)) print(level, log)
    },
  })
  await build.write({ dir: folder, format: 'esm', minify: false, sourcemap: true, sourcemapExcludeSources: true })
}
