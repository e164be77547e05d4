import { access } from './rows/access.ts'
import type { Chapter } from './rows/chapter.ts'
import { endpoints } from './rows/endpoints.ts'
import { events, push } from './rows/events.ts'
import { conventions, general } from './rows/general.ts'
import { resources } from './rows/resources.ts'
import { transitions } from './rows/transitions.ts'

/** Every statement of the interface that a test can show, in the interface's order. Section names are unique. */
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

/** Claim text `section: row`, as used on the page and by tests. */
export function claim(section: string, row: string): string {
  return `${section}: ${row}`
}

export const allClaims: ReadonlySet<string> = new Set(
  chapters.flatMap(({ sections }) =>
    Object.entries(sections).flatMap(([section, rows]) => rows.map((row) => claim(section, row))),
  ),
)
