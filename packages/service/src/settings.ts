import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** One setting: its variable, its purpose (ends a sentence that starts "It is") and its schema. */
interface Setting<S extends z.ZodType = z.ZodType> {
  env: string
  help: string
  /** Takes the variable's text, or undefined when it is not set (so `.default(…)` is the default, `.optional()` none). */
  schema: S
  /** The value is never printed: not in an error, not in the table. */
  secret?: true
  /** The value may be read from the file that `<env>_FILE` names. Every secret may, without this. */
  mayBeFile?: true
  /** Shown in the settings table when the default is generated at start, such as a random name. */
  madeAtStart?: string
}

/** Settings by nested name, such as `{ port: {…}, internal: { host: {…}, port: {…} } }`. */
export interface SettingsDefinition {
  [name: string]: Setting | SettingsDefinition
}

/** The result of readSettings for a definition: the same nesting, with parsed values. */
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

/** Where calls may go beside the public Internet: nowhere, everywhere, or only to loopback. */
export const privateTargets = z.union([z.literal('loopback'), yesOrNo]).default(false)

/**
 * Reads a definition's settings from the environment; an empty variable counts as unset. Secrets, and settings marked
 * `mayBeFile`, may also come from the file named by `<env>_FILE`, without trailing line breaks.
 *
 * @throws SettingsError naming each variable that is missing or invalid
 */
export function readSettings<D extends SettingsDefinition>(definition: D, env: NodeJS.ProcessEnv): SettingsOf<D> {
  const wrong: string[] = []
  const read = (part: SettingsDefinition): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(part).map(([name, entry]) => {
        if (!isSetting(entry)) return [name, read(entry)]
        const given = givenText(entry, env)
        if ('wrong' in given) {
          wrong.push(`${given.wrong} It is ${entry.help}.`)
          return [name, undefined]
        }
        const parsed = entry.schema.safeParse(given.text)
        if (!parsed.success) wrong.push(sentence(entry, given, parsed.error))
        return [name, parsed.data]
      }),
    )
  const settings = read(definition)
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the walk above keeps the definition's nesting
  return settings as SettingsOf<D>
}

/** The variable that names the file of a setting, where it may come from one. */
function fileVariable({ env, secret, mayBeFile }: Setting): string | undefined {
  return secret || mayBeFile ? `${env}_FILE` : undefined
}

interface Given {
  /** The variable that it is from. */
  variable: string
  text: string | undefined
}

/** The text of a setting from its variable or its file, or one sentence on why there is none. */
function givenText(setting: Setting, env: NodeJS.ProcessEnv): Given | { wrong: string } {
  const text = env[setting.env] || undefined
  const variable = fileVariable(setting)
  const path = variable && env[variable]
  if (!variable || !path) return { variable: setting.env, text }
  if (text !== undefined) return { wrong: `${setting.env} and ${variable} are both set: give one of them.` }
  try {
    const content = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
    if (content !== '') return { variable, text: content }
    return { wrong: `${variable} (${JSON.stringify(path)}) is not usable: the file is empty.` }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { wrong: `${variable} (${JSON.stringify(path)}) cannot be read: ${why}.` }
  }
}

/** Every setting of a definition, in its order. */
function listSettings(definition: SettingsDefinition): Setting[] {
  return Object.values(definition).flatMap((entry) => (isSetting(entry) ? [entry] : listSettings(entry)))
}

/** Prefixes of other services' own variables, and of the tests', which this service does not know. */
const prefixesOfOthers = [
  'PARLEY_GATEWAY_',
  'PARLEY_REALTIME_',
  'PARLEY_PUSH_',
  'PARLEY_STATS_',
  'PARLEY_FILES_',
  'PARLEY_TEST_',
  'PARLEY_SERVERS',
]

/**
 * The `PARLEY_*` variables that are set but unknown, such as a misspelt one. Variables with another service's prefix
 * are skipped, so that all services may share one environment.
 */
export function unknownVariables(definition: SettingsDefinition, env: NodeJS.ProcessEnv): string[] {
  const known = listSettings(definition).flatMap((setting) => [setting.env, fileVariable(setting) ?? []].flat())
  const isOurs = (prefix: string) => known.some((name) => name.startsWith(prefix))
  const others = prefixesOfOthers.filter((prefix) => !isOurs(prefix))
  return Object.keys(env).filter(
    (name) => name.startsWith('PARLEY_') && !known.includes(name) && !others.some((prefix) => name.startsWith(prefix)),
  )
}

/** A Markdown table of all settings with their defaults. */
export function settingsTable(definition: SettingsDefinition): string {
  const rows = listSettings(definition).map((setting) => {
    const file = fileVariable(setting) === undefined ? '' : ' (`_FILE`)'
    return `| \`${setting.env}\`${file} | ${shownDefault(setting)} | ${setting.help} |`
  })
  return ['| variable | default | what it is |', '|---|---|---|', ...rows].join('\n')
}

function isSetting(entry: Setting | SettingsDefinition): entry is Setting {
  return typeof entry.env === 'string'
}

function sentence(setting: Setting, { variable, text }: Given, error: z.ZodError): string {
  if (text === undefined) return `${setting.env} is not set. It is ${setting.help}.`
  const shown = fileVariable(setting) ? '' : ` (${JSON.stringify(text)})`
  return `${variable}${shown} is not usable: ${error.issues.map(({ message }) => message).join(', ')}. It is ${setting.help}.`
}

function shownDefault(setting: Setting): string {
  if (setting.madeAtStart) return setting.madeAtStart
  const parsed = setting.schema.safeParse(undefined)
  if (!parsed.success) return '(required)'
  return parsed.data === undefined ? '(none)' : `\`${JSON.stringify(parsed.data)}\``
}
