/** The value at a quantile between 0 and 1; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

/** The middle value; of an even number of values, the upper one. */
export const median = (values: readonly number[]) => quantile(values, 0.5)
