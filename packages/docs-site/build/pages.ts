import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A page of the documentation. */
export interface Page {
  /** Path in the repository: `docs/guides/bots.md`. */
  file: string
  /** Path below /docs/, without extension: `guides/bots`. */
  path: string
  title: string
  /** Description from the tables of README pages. */
  about: string
  markdown: string
}

export interface Group {
  title: string
  pages: Page[]
}

const root = join(import.meta.dirname, '../../..')

/** Files outside docs/ that are pages too. */
const outside: Record<string, string> = {
  'README.md': 'parley/README',
  'ARCHITECTURE.md': 'parley/ARCHITECTURE',
  'CONTRIBUTING.md': 'parley/CONTRIBUTING',
  'CHANGELOG.md': 'parley/CHANGELOG',
  'SECURITY.md': 'parley/SECURITY',
  'packages/client/README.md': 'client/README',
  'examples/README.md': 'examples/README',
}

/** Machine-readable documents that the gateway serves at other paths. */
const elsewhere: Record<string, string> = {
  'docs/openapi.json': '/openapi.json',
  'docs/asyncapi.json': '/asyncapi.json',
  'docs/config.schema.json': '/config.schema.json',
}

const forIntegrators = [
  'docs/README.md',
  'docs/events.md',
  'docs/errors.md',
  'packages/client/README.md',
  'examples/README.md',
]
const forOperators = ['operations', 'settings', 'runbooks', 'logs', 'scaling', 'benchmarks', 'e2e-k8s', 'threat-model']

/** Every page, in navigation order. */
export function readPages(): Group[] {
  const docs = globSync('docs/**/*.md', { cwd: root })
  const files = [...docs, ...Object.keys(outside)].toSorted()
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const abouts = aboutsIn(texts)
  const pageOf = (file: string): Page => {
    const markdown = texts.get(file) ?? ''
    const [, title = file] = /^# (.+)$/m.exec(markdown) ?? []
    return { file, path: pathOf(file) ?? file, title, about: abouts.get(file) ?? '', markdown }
  }
  const taken = new Set<string>()
  const group = (title: string, wanted: readonly string[]): Group => {
    const own = [...new Set(wanted)].filter((file) => texts.has(file) && !taken.has(file))
    for (const file of own) taken.add(file)
    return { title, pages: own.map(pageOf) }
  }
  const inside = (folder: string) => {
    const index = `docs/${folder}/README.md`
    const named = [...linksIn(texts.get(index) ?? '')].flatMap((href) => targetOf(index, href)?.file ?? [])
    return [
      index,
      ...named.filter((file) => file.startsWith(`docs/${folder}/`)),
      ...docs.filter((file) => file.startsWith(`docs/${folder}/`)).toSorted(),
    ]
  }
  return [
    group('Start', forIntegrators),
    group('Guides', inside('guides')),
    group('Reference', inside('reference')),
    group(
      'Operations',
      forOperators.map((name) => `docs/${name}.md`),
    ),
    group('Project', files),
  ]
}

/** The target of a link in the repository. */
export interface Target {
  /** Path in the repository. */
  file: string
  /** Includes the `#`; empty if there is none. */
  anchor: string
}

/** Resolves a file's relative link; undefined for external URLs and anchors on the same page. */
export function targetOf(file: string, href: string): Target | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return undefined
  const [path = '', anchor = ''] = href.split(/(?=#)/)
  return { file: normalize(join(dirname(file), decodeURI(path))).replace(/\/$/, ''), anchor }
}

/**
 * The URL of a link on the site.
 * @param ending extension of linked pages: none, or `.md`
 * @returns undefined if the link's file is not served, such as source code
 */
export function addressOf(file: string, href: string, ending: '' | '.md'): string | undefined {
  const target = targetOf(file, href)
  if (!target) return href
  const fixed = elsewhere[target.file] ?? (target.file.startsWith('docs/pictures/') ? `/${target.file}` : undefined)
  if (fixed !== undefined) return fixed
  const path = pathOf(target.file)
  return path === undefined ? undefined : `/docs/${path}${ending}${target.anchor}`
}

function pathOf(file: string): string | undefined {
  if (Object.hasOwn(outside, file)) return outside[file]
  const [, path] = /^docs\/(.+)\.md$/.exec(file) ?? []
  return path
}

function linksIn(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href)
}

/** From rows of tables such as `| [Bots](bots.md) | a robot that hears a room |`. */
function aboutsIn(texts: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>()
  for (const [file, markdown] of texts) {
    if (!file.endsWith('README.md')) continue
    for (const [, href = '', about = ''] of markdown.matchAll(/^\| \[[^\]]+\]\(([^)\s]+)\) \| (.+?) \|/gm)) {
      const target = targetOf(file, href)
      if (target && !found.has(target.file)) found.set(target.file, about.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1'))
    }
  }
  return found
}
