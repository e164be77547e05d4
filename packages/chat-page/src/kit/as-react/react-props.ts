/** Attributes with different names in React. */
const names: Readonly<Record<string, string>> = {
  autocomplete: 'autoComplete',
  enterkeyhint: 'enterKeyHint',
  referrerpolicy: 'referrerPolicy',
}

/** Leaves a component's props. An element gets React's attribute names, and prefixed classes that do not clash. */
export function toReactProps(type: unknown, props: object | null): object {
  if (typeof type !== 'string' || !props) return props ?? {}
  const entries = Object.entries(props).map(([name, value]): [string, unknown] =>
    name === 'class' ? ['className', prefixed(value)] : [names[name] ?? name, value],
  )
  return Object.fromEntries(entries)
}

/** Prefixes classes as build/kit-styles.ts does in CSS. */
function prefixed(classes: unknown): string | undefined {
  if (typeof classes !== 'string') return undefined
  const words = classes.split(' ').filter((word) => word !== '')
  return words.map((word) => `parley-${word}`).join(' ')
}
