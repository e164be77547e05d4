import { ApiError } from '@parley/contracts/errors'
import { isObject, readJson } from '@parley/contracts/free-json'
import { type ConfigVersion, findConfigValue, findConfigVersions } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { LRUCache } from 'lru-cache'
import { createLetterReader } from './letters.ts'
import { maskOfWords } from './mask-words.ts'

/** Masks the listed words in the content of a message (JSON text). */
type Mask = (content: string) => string

/** The config key of the words: `{keywords: [...]}`. */
export const censorshipKey = 'censorship'
const maxWords = 10_000

/** Maximum states of all cached automata, at 40 bytes each: enough for 30 apps with the most words. */
const maxKept = 4_000_000

interface Made {
  version: string
  mask: Mask | undefined
  size: number
}

/**
 * Masks the words that apps list under `censorship` (docs/reference/moderation.md#censored-words), in every batch of sends by
 * their current version (room-cache.ts). Each version is read, and its automaton built, once.
 */
export function createCensor(db: Db) {
  const kept = new LRUCache<string, Made>({ maxSize: maxKept, sizeCalculation: ({ size }) => size })
  const making = new Map<string, Promise<Made>>()
  let read: ReturnType<typeof createLetterReader> | undefined

  async function make(app: string): Promise<Made> {
    const { json, version } = (await findConfigValue(db, app, censorshipKey)) ?? { json: 'null', version: '' }
    const words = wordsOf(json)
    if (words.length === 0) return { version, mask: undefined, size: 1 }
    const { mask, size } = maskOfWords(words, (read ??= createLetterReader()))
    return { version, mask: (content) => maskContent(content, mask), size }
  }

  /** The mask for this version of the app's words, or for a newer one. */
  async function maskFor({ app, version }: ConfigVersion): Promise<Mask | undefined> {
    const known = kept.get(app)
    if (known?.version === version) return known.mask
    const name = `${app}\0${version}`
    const made = making.get(name) ?? make(app).finally(() => making.delete(name))
    making.set(name, made)
    kept.set(app, await made)
    return (await made).mask
  }

  async function masks(versions: readonly ConfigVersion[]): Promise<Map<string, Mask>> {
    const found = await Promise.all(versions.map(async (each) => [each.app, await maskFor(each)] as const))
    return new Map(found.filter((pair): pair is [string, Mask] => pair[1] !== undefined))
  }

  const maskOf = async (app: string) => (await masks(await findConfigVersions(db, [app], censorshipKey))).get(app)
  return {
    /** Masks by app, for the given versions of the config value. Apps without words are left out. */
    masks,
    async maskContent(app: string, content: string) {
      const mask = await maskOf(app)
      return mask ? mask(content) : content
    },
    async maskText(app: string, text: string) {
      const mask = text === '' ? undefined : await maskOf(app)
      return mask ? (JSON.parse(mask(JSON.stringify(text))) as string) : text
    },
  }
}
export type Censor = ReturnType<typeof createCensor>

/** @throws ApiError INVALID_BODY for a list with too many words */
export function checkCensorship(value: unknown): void {
  if (keywordsOf(value).length > maxWords) {
    throw new ApiError('INVALID_BODY', `${censorshipKey}.keywords: at most ${maxWords} words`)
  }
}

/** The words of a stored value, which may exceed the limit or contain other values. */
function wordsOf(json: string): string[] {
  const words = keywordsOf(JSON.parse(json)).filter((word) => typeof word === 'string' && word.isWellFormed())
  return [...new Set((words as string[]).map((word) => word.trim()))].filter((word) => word !== '')
}

/** The keywords of a config value, which may be any JSON. A value without a list masks nothing. */
function keywordsOf(value: unknown): unknown[] {
  const keywords = typeof value === 'object' && value !== null && 'keywords' in value ? value.keywords : undefined
  return Array.isArray(keywords) ? keywords : []
}

const shownFields =
  /^(text|fallback|caption|(sub)?title|(file_?)?name|description|body|label|alt|subject|heading|summary|comment|question|options?)$/i

/** Masks the texts of a content: the string itself, or the shown fields of its objects at any depth. */
function maskContent(content: string, mask: (text: string) => string): string {
  let isMasked = false
  const maskIn = (value: unknown, isShown: boolean): unknown => {
    if (typeof value === 'string' && isShown) {
      const masked = mask(value)
      isMasked ||= masked !== value
      return masked
    }
    if (Array.isArray(value)) return value.map((one) => maskIn(one, isShown))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskIn(one, shownFields.test(name))]))
  }
  const value = readJson(content)
  const masked = maskIn(value, typeof value === 'string')
  // Content without a listed word is returned unchanged.
  return isMasked ? JSON.stringify(masked) : content
}
