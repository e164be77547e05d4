import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

const link = /\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g
const isElsewhere = (target: string) => /^[a-z]+:/.test(target)

/**
 * Puts the README and the pages that it links to into a folder, from which every link leads to a page that is there: of
 * a link to any other page of the repository the text is left.
 * @param root of the repository
 * @param readme as a path from there
 */
export async function packPages(root: string, readme: string, folder: string): Promise<void> {
  const text = await readFile(join(root, readme), 'utf8')
  const linked = [...text.matchAll(link)].flatMap(([, , target = '']) =>
    target === '' || isElsewhere(target) ? [] : [join(dirname(readme), target)],
  )
  const packed = new Map([[readme, 'README.md'], ...linked.map((page) => [page, page] as const)])
  for (const [page, place] of packed) {
    if (!existsSync(join(root, page))) throw new Error(`${readme} links to ${page}, which is not there`)
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
