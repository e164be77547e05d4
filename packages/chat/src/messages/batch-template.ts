import { ApiError } from '@parley/contracts/errors'
import { isObject } from '@parley/contracts/free-json'
import { maxMessageBytes } from '@parley/contracts/resources/message'

/** Replacements by `$pattern$`. */
type Patterns = Readonly<Record<string, string>>

/** The JSON text of a message, split at its patterns into parts that are the same for all recipients. */
interface Template {
  texts: string[]
  names: string[]
  counts: Map<string, number>
  bytes: number
}

/**
 * Returns a function that replaces `$pattern$`s in every text of a message for a recipient. It computes the size before
 * building the text, since a small request can expand to any number of bytes.
 */
export function batchTemplate(message: unknown): (patterns: Patterns) => string {
  let last: { key: string; template: Template } | undefined
  return (patterns) => {
    const names = Object.keys(patterns)
    // Most recipients have the same patterns. No pattern is empty or contains an inner `$`.
    const key = names.join('')
    if (last?.key !== key) last = { key, template: readTemplate(message, new Set(names)) }
    return fillIn(last.template, patterns)
  }
}

function fillIn({ texts, names, counts, bytes }: Template, patterns: Patterns): string {
  const values = new Map(Object.entries(patterns).map(([name, value]) => [name, insideOfText(value)]))
  const size = [...values].reduce(
    (sum, [name, value]) => sum + (counts.get(name) ?? 0) * Buffer.byteLength(value),
    bytes,
  )
  if (size > maxMessageBytes) {
    throw new ApiError(
      'MESSAGE_TOO_LARGE',
      `message is over ${maxMessageBytes} bytes as JSON with its patterns replaced`,
    )
  }
  return texts.map((text, i) => text + (values.get(names[i] ?? '') ?? '')).join('')
}

/** Writes a message as JSON text and splits it at the patterns in its texts. Field names are unchanged. */
function readTemplate(message: unknown, known: ReadonlySet<string>): Template {
  const template: Template = { texts: [''], names: [], counts: new Map(), bytes: 0 }
  const add = (text: string) => template.texts.push((template.texts.pop() ?? '') + text)

  function addText(text: string): void {
    let from = 0
    for (let at = text.indexOf('$'); at !== -1; ) {
      const next = text.indexOf('$', at + 1)
      const name = text.slice(at, next + 1)
      if (next === -1) break
      // The next `$` may begin a pattern even if this one does not.
      if (known.has(name)) {
        add(insideOfText(text.slice(from, at)))
        template.names.push(name)
        template.counts.set(name, (template.counts.get(name) ?? 0) + 1)
        template.texts.push('')
        from = next + 1
        at = text.indexOf('$', from)
      } else {
        at = next
      }
    }
    add(insideOfText(text.slice(from)))
  }

  function write(value: unknown): void {
    if (typeof value === 'string') {
      add('"')
      addText(value)
      add('"')
    } else if (!isObject(value) && !Array.isArray(value)) {
      add(JSON.stringify(value))
    } else {
      const isList = Array.isArray(value)
      add(isList ? '[' : '{')
      Object.entries(value).forEach(([name, inner], i) => {
        add(`${i === 0 ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`)
        write(inner)
      })
      add(isList ? ']' : '}')
    }
  }

  write(message)
  template.bytes = template.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return template
}

/** A text as JSON, without quotes. */
function insideOfText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
