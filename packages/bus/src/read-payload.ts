import { readJson } from '@parley/contracts/free-json'
/** The part of a zod schema that `readPayload` uses. */
export interface Schema<T> {
  safeParse: (value: unknown) => { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } }
}
interface Issue {
  path: readonly PropertyKey[]
  message: string
}

const maxDescribed = 200
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads the payload of a bus message by a schema of the contract.
 * @throws if it is not JSON or does not match; the error names only the first issue
 */
export function readPayload<T>({ data }: { data: Uint8Array }, schema: Schema<T>): T {
  const read = schema.safeParse(readJson(utf8.decode(data)))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const at = issue?.path.map(String).join('.') ?? ''
  throw new Error(`payload does not match the contract: ${at}: ${issue?.message ?? 'invalid'}`.slice(0, maxDescribed))
}
