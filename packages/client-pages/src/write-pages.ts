import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, LogLevel, OptionDefaults } from 'typedoc'

const client = join(import.meta.dirname, '../../client')

interface Package {
  exports: Record<string, string | { types: string }>
}

/**
 * Writes API pages for all exports of @parley/client into a folder, which it empties first. A separate package, since
 * TypeDoc needs another TypeScript version.
 * @throws Error with all TypeDoc warnings
 */
export async function writeClientPages(out: string): Promise<void> {
  const { exports } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as Package
  const app = await Application.bootstrap({
    name: '@parley/client',
    readme: join(client, 'README.md'),
    entryPoints: Object.entries(exports)
      .filter(([name]) => !name.endsWith('.css'))
      .map(([, entry]) => join(client, typeof entry === 'string' ? entry : entry.types)),
    tsconfig: join(client, 'tsconfig.pages.json'),
    out,
    logLevel: LogLevel.Warn,
    treatWarningsAsErrors: true,
    excludeInternal: true,
    excludeExternals: true,
    // A published tarball has no source lines to link to.
    disableSources: true,
    hideGenerator: true,
    githubPages: false,
    blockTags: [...OptionDefaults.blockTags],
    plugin: [],
  })
  const messages: string[] = []
  app.logger.warn = (text: string) => void messages.push(text)
  app.logger.error = (text: string) => void messages.push(text)
  const project = await app.convert()
  if (project) {
    app.validate(project)
    await app.generateDocs(project, out)
  }
  if (!project || messages.length > 0) throw new Error(messages.join('\n'))
}
