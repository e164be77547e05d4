/** Without input for this long, requests come from views that refresh by themselves. */
const awayMS = 60_000
let lastInputMS = performance.now()

export function noteInput(): void {
  lastInputMS = performance.now()
}

/** Whether the operator seems to be away, so that requests must not keep the session from its idle end. */
export const isUnattended = (): boolean => performance.now() - lastInputMS > awayMS
