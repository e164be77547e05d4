import type { Page } from 'playwright-core'

/** Figures of Chromium's trace of a scrolling page. */
export interface ScrollTrace {
  /** Durations of frames that took the main thread longer than 50 ms. */
  longFrames: number[]
  /** The longest task of the main thread, and the most CPU time of a task, which other load does not affect. */
  longestTaskMS: number
  dearestTaskMS: number
  /** The number of frames with scrolling. */
  frames: number
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  ts: number
  /** Elapsed time and thread time, in microseconds. */
  dur?: number
  tdur?: number
  args: { name?: string }
}

const categories = 'toplevel,devtools.timeline,disabled-by-default-devtools.timeline,__metadata'

/** Scrolls the message list by this many pixels per frame until it reaches the end and nothing more loads. */
export async function traceScrolling(page: Page, pixelsPerFrame: number): Promise<ScrollTrace> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', { transferMode: 'ReportEvents', categories })
  const { frames, longFrames } = await page.evaluate(scroll, pixelsPerFrame)
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await isComplete
  await session.detach()
  return { frames, longFrames, ...longestTasks(events) }
}

/** Tasks of the page's renderer, which is the one with the busiest main thread. */
function longestTasks(events: readonly TraceEvent[]): Pick<ScrollTrace, 'longestTaskMS' | 'dearestTaskMS'> {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  )
  const tasks = events.filter((event) => event.name === 'RunTask' && main.has(threadOf(event)))
  if (tasks.length === 0) throw new Error('the trace has no tasks of the page')
  const max = (of: (task: TraceEvent) => number | undefined) =>
    tasks.reduce((sofar, task) => Math.max(sofar, (of(task) ?? 0) / 1000), 0)
  return { longestTaskMS: max(({ dur }) => dur), dearestTaskMS: max(({ tdur }) => tdur) }
}

/** Runs in the page. */
async function scroll(pixelsPerFrame: number): Promise<{ frames: number; longFrames: number[] }> {
  const longFrames: number[] = []
  // Chromium reports exactly the frames longer than 50 ms.
  const observer = new PerformanceObserver((list) => {
    longFrames.push(...list.getEntries().map(({ duration }) => Math.round(duration)))
  })
  observer.observe({ type: 'long-animation-frame' })
  const log = document.querySelector<HTMLElement>('[role="log"]') as HTMLElement
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  /** Frames to wait at an end for the next page to load. */
  const stillFrames = 90
  let frames = 0
  for (let still = 0; still < stillFrames; frames++) {
    const before = log.scrollTop
    log.scrollBy(0, pixelsPerFrame)
    await frame()
    still = Math.abs(log.scrollTop - before) < 1 ? still + 1 : 0
  }
  await frame()
  longFrames.push(...observer.takeRecords().map(({ duration }) => Math.round(duration)))
  observer.disconnect()
  return { frames: frames - stillFrames, longFrames }
}
