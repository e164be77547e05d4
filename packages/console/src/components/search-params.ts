/** Reads a text from a URL parameter; undefined if it is missing or empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : typeof value === 'string' && value !== ''
      ? value
      : undefined

/** Reads the number of rows before a page from a URL parameter; undefined on the first page. */
export const skipOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined

/** Reads one of several values from a URL parameter; undefined for any other. */
export const oneOf =
  <const Value extends string>(values: readonly Value[]) =>
  (value: unknown): Value | undefined =>
    values.find((each) => each === value)
