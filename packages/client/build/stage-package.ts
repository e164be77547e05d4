import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const source = join(import.meta.dirname, '..')

interface Manifest {
  devDependencies?: unknown
  publishConfig: { exports: Record<string, { types: string; default: string }> }
}

/** Stages the published package: compiled code with types, the React kit, README.md with its pages, package.json. */
export async function stagePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const tsc = join(source, '../../node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '-p', join(source, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')]).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout)
    },
  )
  await run(process.execPath, [join(source, '../chat-page/build/main.ts')])
  await cp(join(source, 'kit'), join(folder, 'dist/react-ui'), { recursive: true, filter: isPublished })
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest
  const { devDependencies: _, publishConfig, ...published } = manifest
  const { exports, ...config } = publishConfig
  const forOldResolvers = { ...entryOf(exports), typesVersions: { '*': typesOf(exports) } }
  const text = JSON.stringify({ ...published, ...forOldResolvers, exports, publishConfig: config }, undefined, 2)
  await writeFile(join(folder, 'package.json'), `${text}\n`)
  await packPages(join(source, '../..'), 'packages/client/README.md', folder)
}

const isPublished = (file: string) => basename(file) !== '.built-from'

/** For `moduleResolution: node10`, which ignores `exports`. */
function entryOf({ '.': entry }: Manifest['publishConfig']['exports']): object {
  return { main: entry?.default, types: entry?.types }
}

function typesOf(exports: Manifest['publishConfig']['exports']): Record<string, string[]> {
  const others = Object.entries(exports).filter(([name]) => name !== '.')
  return Object.fromEntries(others.map(([name, { types }]) => [name.replace('./', ''), [types]]))
}

/** Writes the tarball into a folder, which may be on another file system; returns its path. */
export async function packTo(target: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-client-'))
  try {
    await stagePackage(folder)
    const tarball = await packStaged(folder)
    await mkdir(target, { recursive: true })
    const place = join(target, basename(tarball))
    await copyFile(tarball, place)
    return place
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Packs a staged folder; returns the tarball's path. */
export async function packStaged(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--offline'], { cwd: folder })
  return join(folder, stdout.trim().split('\n').at(-1) ?? '')
}

const link = /\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g
const isElsewhere = (target: string) => /^[a-z]+:/.test(target)

/**
 * Copies the README and the pages it links to into a folder. Links to any other page become plain text.
 * @param root the repository's folder
 * @param readme path from `root`
 */
async function packPages(root: string, readme: string, folder: string): Promise<void> {
  const text = await readFile(join(root, readme), 'utf8')
  const linked = [...text.matchAll(link)].flatMap(([, , target = '']) =>
    target === '' || isElsewhere(target) ? [] : [join(dirname(readme), target)],
  )
  const packed = new Map([[readme, 'README.md'], ...linked.map((page) => [page, page] as const)])
  for (const [page, place] of packed) {
    if (!existsSync(join(root, page))) throw new Error(`${readme} links to ${page}, which does not exist`)
    const content = await readFile(join(root, page), 'utf8')
    const to = join(folder, place)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(
      to,
      content.replaceAll(link, (whole, name: string, target: string, anchor = '') => {
        if (target === '' || isElsewhere(target)) return whole
        const found = packed.get(join(dirname(page), target))
        return found === undefined ? name : `[${name}](${relative(dirname(place), found)}${anchor})`
      }),
    )
  }
}
