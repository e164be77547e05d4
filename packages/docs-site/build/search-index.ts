import MiniSearch from 'minisearch'
import { searchOptions } from '../src/search-options.ts'
import type { Page } from './pages.ts'
import type { Rendered } from './render.ts'

/** Characters of a section that a result shows. */
const shownLength = 140
/** Pages left out of the search: lists of test files. */
const leftOut = new Set(['conformance'])

/** The search index of all pages' sections, for the browser. */
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
