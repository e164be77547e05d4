import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

const link = /\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g
const isElsewhere = (target: string) => /^[a-z]+:/.test(target)

/**
 * Copies the README and the pages it links to into a folder. Links to any other page become plain text.
 * @param root the repository's folder
 * @param readme path from `root`
 */
export async function packPages(root: string, readme: string, folder: string): Promise<void> {
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
