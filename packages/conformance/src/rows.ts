import { access } from './rows/access.ts'
import type { Chapter } from './rows/chapter.ts'
import { endpoints } from './rows/endpoints.ts'
import { events, push } from './rows/events.ts'
import { conventions, general } from './rows/general.ts'
import { resources } from './rows/resources.ts'
import { transitions } from './rows/transitions.ts'

/** Everything that the interface states and a test can show, in its order. The names of sections are unique. */
export const chapters: readonly Chapter[] = [
  conventions,
  resources,
  transitions,
  endpoints,
  access,
  events,
  push,
  ...general,
]

/** `section: row`, as the page and a test's claims have it. */
export function claim(section: string, row: string): string {
  return `${section}: ${row}`
}

export const allClaims: ReadonlySet<string> = new Set(
  chapters.flatMap(({ sections }) =>
    Object.entries(sections).flatMap(([section, rows]) => rows.map((row) => claim(section, row))),
  ),
)
