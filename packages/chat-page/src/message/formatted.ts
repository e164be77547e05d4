import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useStore } from '../state/chat.ts'
import { createValue } from '../state/value.ts'
import type { FoundLink } from './links.ts'
import type { Formatted } from './markdown.ts'
import { plainText } from './plain-text.ts'

type Parse = (text: string) => (Formatted | string)[]
export type FindLinks = (text: string) => Iterable<FoundLink>

/** Loaded with the first text that may need it: the parser is half as large as the page. */
const parser = createValue<Parse | undefined>(undefined)
const mayBeMarkdown = /[*_~\x60>]|^\s*(?:[-+]|\d{1,9}[.)])\s/mu

/** The elements of a text with Markdown. Undefined when it has none, is literal, or the parser is not there yet. */
export function useFormatted(text: string, isLiteral: boolean): (Formatted | string)[] | undefined {
  const isWanted = !isLiteral && mayBeMarkdown.test(text)
  const parse = useStore(parser)
  useEffect(() => {
    if (isWanted && !parse) void loadParser()
  }, [isWanted])
  return useMemo(() => (isWanted ? parse?.(text) : undefined), [isWanted, parse, text])
}

/** A preview shows one line: a longer text is not parsed for it. */
const mostParsed = 1_000

/** Takes the marks of Markdown out of texts for previews. Until the parser is there, they stay as they were written. */
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

/** The same for one text outside of the page, such as a notification. */
export async function readPlainText(text: string): Promise<string> {
  if (mayBeMarkdown.test(text) && !parser.get()) await loadParser()
  return toPlain(text, parser.get())
}

function toPlain(text: string, parse: Parse | undefined): string {
  return parse && mayBeMarkdown.test(text) ? plainText(parse(text.slice(0, mostParsed))).trimEnd() : text
}

const loadParser = (): Promise<void> => load(async () => parser.set((await import('./markdown.ts')).parseMarkdown))

/** The library that finds addresses is loaded with the first text that has one. */
const finder = createValue<FindLinks | undefined>(undefined)
const mayHaveLinks = /https?:/iu

/** Finds the addresses of a text. Undefined when it has none, or the library is not there yet. */
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
    // Without a connection texts stay as they were written; the next one tries again.
  }
}
