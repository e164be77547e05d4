/** A part of the interface: the rows of each of its sections. A row is one sentence, field or error that a test can show. */
export interface Chapter {
  title: string
  sections: Record<string, readonly string[]>
}

/** `name* type` of interface-names.ts reduced to the field's name. */
export function fieldName(field: string): string {
  return field.replace(/\*? .*$/, '')
}

/** Whether it names a field; else it names the type of the whole. */
export function isField(field: string): boolean {
  return field.includes(' ')
}
