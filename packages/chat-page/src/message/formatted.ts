import { useEffect, useMemo } from 'preact/hooks'
import { useStore } from '../state/chat.ts'
import { createValue } from '../state/value.ts'
import type { Formatted } from './markdown.ts'

type Parse = (text: string) => (Formatted | string)[]

/** Loaded with the first text that may need it: the parser is half as large as the page. */
const parser = createValue<Parse | undefined>(undefined)
const mayBeMarkdown = /[*_~\x60>]|^\s*(?:[-+]|\d{1,9}[.)])\s/mu

/** The elements of a text with Markdown. Undefined when it has none, is literal, or the parser is not there yet. */
export function useFormatted(text: string, isLiteral: boolean): (Formatted | string)[] | undefined {
  const isWanted = !isLiteral && mayBeMarkdown.test(text)
  const parse = useStore(parser)
  useEffect(() => {
    if (isWanted && !parse) void load()
  }, [isWanted])
  return useMemo(() => (isWanted ? parse?.(text) : undefined), [isWanted, parse, text])
}

async function load(): Promise<void> {
  try {
    parser.set((await import('./markdown.ts')).parseMarkdown)
  } catch {
    // Without a connection texts stay as they were written; the next one tries again.
  }
}
