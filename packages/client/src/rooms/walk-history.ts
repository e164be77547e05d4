import type { Page } from './timeline.ts'

export interface PageQuery {
  limit: number
  beforeMessage?: string
  afterMessage?: string
  afterTime?: string
}

const perPage = 500

/** Reads the messages from a time of sending on to a seq, or to the end. */
export async function walkHistory(
  read: (query: PageQuery) => Promise<Page>,
  { fromMS, toSeq }: { fromMS: number; toSeq: number },
  add: (page: Page) => void,
): Promise<void> {
  for (let afterMS = fromMS - 1; ; ) {
    const page = await read({ limit: perPage, afterTime: String(afterMS) })
    add(page)
    const last = page.data.at(-1)
    if (!last || last.seq >= Math.min(toSeq, page.totalCount)) return
    afterMS = last.createdAtMS
  }
}
