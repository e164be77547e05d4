export interface LateEvents {
  isReading: () => boolean
  /** Applies an event, and again after each page that is being read, which may be older. */
  take: (event: () => void) => void
  /** Reads a page and passes it to `put`. */
  read: <Page>(page: Promise<Page>, put: (page: Page) => void) => Promise<void>
}

export function lateEvents(): LateEvents {
  let readings = 0
  let late: (() => void)[] = []
  return {
    isReading: () => readings > 0,
    take(event) {
      if (readings > 0) late.push(event)
      event()
    },
    async read(page, put) {
      readings++
      try {
        put(await page)
        for (const event of late) event()
      } finally {
        if (--readings === 0) late = []
      }
    },
  }
}
