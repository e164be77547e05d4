/** A JSON Schema in the documents. */
export type JsonSchema = Record<string, unknown>
