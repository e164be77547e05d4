type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The fields of an object that are not undefined. Not for code that runs for every message. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
