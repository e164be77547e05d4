/** Attributes that React has by other names. */
const names: Readonly<Record<string, string>> = {
  autocomplete: 'autoComplete',
  enterkeyhint: 'enterKeyHint',
  referrerpolicy: 'referrerPolicy',
}

/** Of a component they stay; of an element they get React's names, and its classes a prefix: the page around has its own. */
export function toReactProps(type: unknown, props: object | null): object {
  if (typeof type !== 'string' || !props) return props ?? {}
  const entries = Object.entries(props).map(([name, value]): [string, unknown] =>
    name === 'class' ? ['className', prefixed(value)] : [names[name] ?? name, value],
  )
  return Object.fromEntries(entries)
}

/** As build/kit-styles.ts does with the styles. */
function prefixed(classes: unknown): string | undefined {
  if (typeof classes !== 'string') return undefined
  const words = classes.split(' ').filter((word) => word !== '')
  return words.map((word) => `parley-${word}`).join(' ')
}
