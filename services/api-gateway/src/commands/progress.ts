/**
 * Returns a function that prints a line at most every `everyMS`.
 * @param startMS when this time begins to run, by `performance.now()`
 */
export function createProgress(everyMS: number, startMS = performance.now()): (line: () => string) => void {
  let printedAtMS = startMS
  return (line) => {
    const nowMS = performance.now()
    if (nowMS < printedAtMS + everyMS) return
    printedAtMS = nowMS
    console.log(line())
  }
}
