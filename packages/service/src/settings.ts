import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** One setting: its variable, its purpose (completes the sentence "It is …") and its schema. */
interface Setting<S extends z.ZodType = z.ZodType> {
  env: string
  help: string
  /** Parses the variable's text, or undefined if it is not set: use `.default(…)` or `.optional()`. */
  schema: S
  /** The value is never printed, neither in errors nor in the table. */
  secret?: true
  /** The value can be read from the file named by `<env>_FILE`. Always allowed for secrets. */
  mayBeFile?: true
  /** Shown in the settings table if the default is generated at start, such as a random name. */
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

/** A setting is wrong, or does not lead to a usable server. The message has one sentence per line, without secrets. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** Schemas for common kinds of values. */
export const port = z.coerce.number().int().min(0).max(65_535)
export const milliseconds = z.coerce.number().int().min(0).max(86_400_000)
export const wholeNumber = z.coerce.number().int().min(0)
export const yesOrNo = z.stringbool()

/** Which private addresses calls may go to: none (false), all (true), or loopback only. */
export const privateTargets = z.union([z.literal('loopback'), yesOrNo]).default(false)

/**
 * Reads settings from the environment. An empty or blank variable counts as unset. Secrets, and settings with `mayBeFile`, can
 * also come from the file named by `<env>_FILE`; trailing line breaks are removed.
 *
 * @throws SettingsError that names each missing or invalid variable
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
  // Nested definitions may share settings.
  if (wrong.length > 0) throw new SettingsError([...new Set(wrong)].join('\n'))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the walk above keeps the definition's nesting
  return settings as SettingsOf<D>
}

/** The variable that names a setting's file, if it can come from one. */
function fileVariable({ env, secret, mayBeFile }: Setting): string | undefined {
  return secret || mayBeFile ? `${env}_FILE` : undefined
}

interface Given {
  /** The variable that provided the text. */
  variable: string
  text: string | undefined
}

/** The text of a setting from its variable or file, or a sentence with the reason why it cannot be read. */
function givenText(setting: Setting, env: NodeJS.ProcessEnv): Given | { wrong: string } {
  // A number of spaces would be 0.
  const text = env[setting.env]?.trim() ? env[setting.env] : undefined
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

/** All settings of a definition in order, each once. */
function listSettings(definition: SettingsDefinition): Setting[] {
  const all = Object.values(definition).flatMap((entry) => (isSetting(entry) ? [entry] : listSettings(entry)))
  return [...new Map(all.map((setting) => [setting.env, setting])).values()]
}

/** Prefixes of variables that belong to one service or to the tests. */
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
 * The `PARLEY_*` variables that are set but unknown, such as misspelled ones. Skips variables with another service's
 * prefix, so that all services can share one environment.
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
  const shown = fileVariable(setting) ? '' : ` (${JSON.stringify(withoutUser(text))})`
  const wrong = error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': '),
  )
  return `${variable}${shown} is not usable: ${wrong.join(', ')}. It is ${setting.help}.`
}

/** Hides the user and password of a URL. */
const withoutUser = (text: string) => text.replace(/\/\/[^/?#]*@/, '//…@')

function shownDefault(setting: Setting): string {
  if (setting.madeAtStart) return setting.madeAtStart
  const parsed = setting.schema.safeParse(undefined)
  if (!parsed.success) return '(required)'
  return parsed.data === undefined ? '(none)' : `\`${JSON.stringify(parsed.data)}\``
}
