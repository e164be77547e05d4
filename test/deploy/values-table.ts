import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'

/** A value of the chart: its path, its default as JSON, and the comment above it. */
export interface ChartValue {
  path: string
  standard: unknown
  about: string
}

/**
 * The commented values of a values.yaml, in order. A map without a comment contributes its entries. Values without a comment are
 * omitted, since a neighbour's comment covers them.
 */
export function valuesIn(text: string): ChartValue[] {
  const found: ChartValue[] = []
  const walk = (map: YAMLMap, above: string) => {
    map.items.forEach((pair, index) => {
      if (!isScalar(pair.key)) return
      const path = `${above}${String(pair.key.value)}`
      // The comment above the first entry of a map belongs to the map.
      const comment = pair.key.commentBefore ?? (index === 0 ? map.commentBefore : undefined)
      const about = (comment ?? '').trim().split(/\n\n/).at(-1)?.replaceAll(/\n\s*/g, ' ').trim() ?? ''
      const { value } = pair
      if (about) found.push({ path, standard: isMap(value) || !isScalar(value) ? toJson(value) : value.value, about })
      if (isMap(value) && (!about || path === 'settings')) walk(value, `${path}.`)
    })
  }
  const { contents } = parseDocument(text)
  if (isMap(contents)) walk(contents, '')
  return found
}

/** The table of the chart's README. */
export function valuesTable(text: string): string {
  const rows = valuesIn(text).map(({ path, standard, about }) => {
    const shown = path === 'settings' ? 'see values.yaml' : `\`${JSON.stringify(standard)}\``
    return `| \`${path}\` | ${shown} | ${about.replaceAll('|', '\\|')} |`
  })
  return ['| value | default | what it is |', '|---|---|---|', ...rows].join('\n')
}

function toJson(node: unknown): unknown {
  return (node as { toJSON: () => unknown } | null)?.toJSON() ?? null
}
