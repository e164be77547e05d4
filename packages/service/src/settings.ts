import { z } from 'zod'

/** One setting: the variable it is read from, what it is for (ends a sentence that starts "It is"), and its schema. */
interface Setting<S extends z.ZodType = z.ZodType> {
  env: string
  help: string
  /** Takes the variable's text, or undefined when it is not set (so `.default(…)` is the default, `.optional()` none). */
  schema: S
  /** The value is never printed: not in an error, not in the table. */
  secret?: true
  /** What the table shows when the default is made at the start, such as a random name. */
  madeAtStart?: string
}

/** Settings by nested name, such as `{ port: {…}, internal: { host: {…}, port: {…} } }`. */
export interface SettingsDefinition {
  [name: string]: Setting | SettingsDefinition
}

/** What readSettings returns for a definition: the same nesting, with the parsed values. */
export type SettingsOf<D> = {
  [K in keyof D]: D[K] extends { env: string; schema: infer S extends z.ZodType } ? z.output<S> : SettingsOf<D[K]>
}

/** The environment does not fit the definition. The message has one sentence a line and no secret. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** Schemas for the kinds of values that variables hold. */
export const port = z.coerce.number().int().min(0).max(65_535)
export const milliseconds = z.coerce.number().int().min(0).max(86_400_000)
export const wholeNumber = z.coerce.number().int().min(0)
export const yesOrNo = z.stringbool()

/**
 * Reads a definition's settings from the environment; a variable set to nothing counts as not set.
 *
 * @throws SettingsError naming each variable that is missing or not usable
 */
export function readSettings<D extends SettingsDefinition>(definition: D, env: NodeJS.ProcessEnv): SettingsOf<D> {
  const wrong: string[] = []
  const read = (part: SettingsDefinition): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(part).map(([name, entry]) => {
        if (!isSetting(entry)) return [name, read(entry)]
        const text = env[entry.env] === '' ? undefined : env[entry.env]
        const parsed = entry.schema.safeParse(text)
        if (!parsed.success) wrong.push(sentence(entry, text, parsed.error))
        return [name, parsed.data]
      }),
    )
  const settings = read(definition)
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the walk above keeps the definition's nesting
  return settings as SettingsOf<D>
}

/** Every setting of a definition, in its order. */
function listSettings(definition: SettingsDefinition): Setting[] {
  return Object.values(definition).flatMap((entry) => (isSetting(entry) ? [entry] : listSettings(entry)))
}

/** Whose variables a service does not know: each other service's own begin with its name, and tests have theirs. */
const prefixesOfOthers = ['PARLEY_GATEWAY_', 'PARLEY_REALTIME_', 'PARLEY_PUSH_', 'PARLEY_STATS_', 'PARLEY_TEST_']

/**
 * The `PARLEY_*` variables that are set but known to nobody, such as a misspelt one. Those that begin like another
 * service's own are left to that service, so that all services may share one environment.
 */
export function unknownVariables(definition: SettingsDefinition, env: NodeJS.ProcessEnv): string[] {
  const known = listSettings(definition).map(({ env: name }) => name)
  const isOurs = (prefix: string) => known.some((name) => name.startsWith(prefix))
  const others = prefixesOfOthers.filter((prefix) => !isOurs(prefix))
  return Object.keys(env).filter(
    (name) => name.startsWith('PARLEY_') && !known.includes(name) && !others.some((prefix) => name.startsWith(prefix)),
  )
}

/** A Markdown table of all settings with their defaults. */
export function settingsTable(definition: SettingsDefinition): string {
  const rows = listSettings(definition).map(
    (setting) => `| \`${setting.env}\` | ${shownDefault(setting)} | ${setting.help} |`,
  )
  return ['| variable | default | what it is |', '|---|---|---|', ...rows].join('\n')
}

function isSetting(entry: Setting | SettingsDefinition): entry is Setting {
  return typeof entry.env === 'string'
}

function sentence(setting: Setting, text: string | undefined, error: z.ZodError): string {
  if (text === undefined) return `${setting.env} is not set. It is ${setting.help}.`
  const shown = setting.secret ? '' : ` (${JSON.stringify(text)})`
  return `${setting.env}${shown} is not usable: ${error.issues.map(({ message }) => message).join(', ')}. It is ${setting.help}.`
}

function shownDefault(setting: Setting): string {
  if (setting.madeAtStart) return setting.madeAtStart
  const parsed = setting.schema.safeParse(undefined)
  if (!parsed.success) return '(required)'
  return parsed.data === undefined ? '(none)' : `\`${JSON.stringify(parsed.data)}\``
}
