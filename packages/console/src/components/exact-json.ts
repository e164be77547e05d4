// Not in TypeScript's library yet: https://github.com/tc39/proposal-json-parse-with-source
declare global {
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown
    rawJSON(text: string): object
  }
}

/** A double keeps this many significant decimal digits. */
const keptDigits = 15

/**
 * Parses JSON. A number that a double may change becomes a raw value, which JSON.stringify writes as it was. Safari before
 * 18.4 and Firefox before 135 pass no context, so it stays a double there.
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(text, (_key, value, context) => {
    const source = context?.source
    return typeof value !== 'number' || source === undefined || isKept(value, source) ? value : JSON.rawJSON(source)
  })

const isKept = (value: number, source: string) =>
  Number.isFinite(value) && source.replace(/e.*/i, '').replaceAll(/[-.]/g, '').length <= keptDigits

/** JSON with indentation, for people. Raw values of parseExact keep their digits. */
export const prettyJson = (value: unknown) => JSON.stringify(value, null, 2)
