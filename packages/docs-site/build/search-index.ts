import MiniSearch from 'minisearch'
import { searchOptions } from '../src/search-options.ts'
import type { Page } from './pages.ts'
import type { Rendered } from './render.ts'

/** How much of a section a result shows. */
const shownLength = 140
/** Lists of test files, which nobody looks for by their words. */
const leftOut = new Set(['conformance'])

/** The sections of all pages, for the search in the browser. */
export function searchIndex(rendered: readonly (readonly [Page, Rendered])[]): string {
  const index = new MiniSearch(searchOptions)
  for (const [page, { sections }] of rendered) {
    if (leftOut.has(page.path)) continue
    index.addAll(
      sections.map(({ anchor, heading, text }) => ({
        id: `/docs/${page.path}${anchor === '' ? '' : `#${anchor}`}`,
        title: page.title,
        heading,
        text,
        shown: text.trim().slice(0, shownLength),
      })),
    )
  }
  return JSON.stringify(index)
}
