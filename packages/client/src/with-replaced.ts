/** Replaces an element of a list, or appends if there is none to replace. */
export function withReplaced<T>(list: readonly T[], before: T | undefined, now: T): T[] {
  return before === undefined ? [...list, now] : list.map((one) => (one === before ? now : one))
}
