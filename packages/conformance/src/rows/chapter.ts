/** A part of the interface, as rows by section. A row is one sentence, field or error that a test can show. */
export interface Chapter {
  title: string
  sections: Record<string, readonly string[]>
}

/** Reduces `name* type` of interface-names.ts to the field's name. */
export function fieldName(field: string): string {
  return field.replace(/\*? .*$/, '')
}

/** Whether an entry names a field; otherwise it names the type of the whole. */
export function isField(field: string): boolean {
  return field.includes(' ')
}
