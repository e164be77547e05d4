import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useStore } from '../state/chat.ts'
import { createValue } from '../state/value.ts'
import type { FoundLink } from './links.ts'
import type { Formatted } from './markdown.ts'
import { plainText } from './plain-text.ts'

type Parse = (text: string) => (Formatted | string)[]
export type FindLinks = (text: string) => Iterable<FoundLink>

/** Loaded with the first text that may need it, since the parser is half the size of the page. */
const parser = createValue<Parse | undefined>(undefined)
const mayBeMarkdown = /[*_~\x60>]|^\s*(?:[-+]|\d{1,9}[.)])\s/mu

/** Parses a text's Markdown. Undefined if it has none, is literal, or the parser is not loaded yet. */
export function useFormatted(text: string, isLiteral: boolean): (Formatted | string)[] | undefined {
  const isWanted = !isLiteral && mayBeMarkdown.test(text)
  const parse = useStore(parser)
  useEffect(() => {
    if (isWanted && !parse) void loadParser()
  }, [isWanted])
  return useMemo(() => (isWanted ? parse?.(text) : undefined), [isWanted, parse, text])
}

/** Characters parsed for a preview, which shows one line. */
const mostParsed = 1_000

/** Strips Markdown from texts for previews. Until the parser is loaded, returns them unchanged. */
export function usePlainTexts(): (text: string) => string {
  const parse = useStore(parser)
  const isWanted = useRef(false)
  useEffect(() => {
    if (isWanted.current && !parse) void loadParser()
  })
  return (text) => {
    isWanted.current ||= mayBeMarkdown.test(text)
    return toPlain(text, parse)
  }
}

/** Strips Markdown from a text that is shown outside the page, such as in a notification. */
export async function readPlainText(text: string): Promise<string> {
  if (mayBeMarkdown.test(text) && !parser.get()) await loadParser()
  return toPlain(text, parser.get())
}

function toPlain(text: string, parse: Parse | undefined): string {
  return parse && mayBeMarkdown.test(text) ? plainText(parse(text.slice(0, mostParsed))).trimEnd() : text
}

const loadParser = (): Promise<void> => load(async () => parser.set((await import('./markdown.ts')).parseMarkdown))

/** The link finder is loaded with the first text that may have a link. */
const finder = createValue<FindLinks | undefined>(undefined)
const mayHaveLinks = /https?:/iu

/** Returns the link finder. Undefined if the text has no links or the finder is not loaded yet. */
export function useLinks(text: string): FindLinks | undefined {
  const isWanted = mayHaveLinks.test(text)
  const find = useStore(finder)
  useEffect(() => {
    if (isWanted && !find) void load(async () => finder.set((await import('./links.ts')).linksIn))
  }, [isWanted])
  return isWanted ? find : undefined
}

async function load(part: () => Promise<void>): Promise<void> {
  try {
    await part()
  } catch {
    // Without a connection, texts stay unformatted; the next text retries.
  }
}
