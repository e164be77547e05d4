/** Repeats a sweep while it has work, so that an idle process sleeps. @param sweep returns whether to sweep again */
export function createSweep(everyMS: number, sweep: () => boolean) {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    /** Begins to sweep; does nothing while it sweeps. */
    begin() {
      timer ??= setInterval(() => {
        if (!sweep()) stop()
      }, everyMS).unref()
    },
    stop,
  }
}
