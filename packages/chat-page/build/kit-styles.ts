import { bundle, type Selector, type SelectorComponent } from 'lightningcss'

const prefix = 'parley-'
const root = 'parley-root'
/** Set by message-menu.tsx on its own element. */
const ownProperties: ReadonlySet<string> = new Set(['--menu-top', '--menu-left'])

/**
 * Adapts the page's styles to a kit inside other pages. Classes, custom properties and animations get a prefix. Each
 * selector is scoped to a part of the kit, and so outweighs an app's element styles. The tokens have no specificity, so
 * that an app's `.parley-root` overrides them.
 */
export function kitStyles(filename: string): string {
  const { code } = bundle({
    filename,
    visitor: {
      Selector: (selector) => inPart(selector.map(renamed)),
      DashedIdent: (name) => (ownProperties.has(name) ? name : `--${prefix}${name.slice(2)}`),
      CustomIdent: (name) => prefix + name,
    },
  })
  return Buffer.from(code).toString()
}

/** Prefixes class names, including those in `:is()` and the like. */
function renamed(component: SelectorComponent): SelectorComponent {
  if (component.type === 'class') return { ...component, name: prefix + component.name }
  if (component.type === 'pseudo-class' && 'selectors' in component && component.selectors) {
    const selectors = (component.selectors as Selector[]).map((selector) => selector.map(renamed))
    return { ...component, selectors } as SelectorComponent
  }
  return component
}

/** `:root .a` becomes `.parley-root .a`, `.a` becomes `.parley-root .a`, and `:root` becomes `:where(.parley-root)`. */
function inPart(selector: Selector): Selector[] {
  const at = selector.findIndex(isPage)
  if (at === -1) return [[{ type: 'class', name: root }, { type: 'combinator', value: 'descendant' }, ...selector]]
  const own: Selector = selector.map((component) => (isPage(component) ? { type: 'class', name: root } : component))
  return [
    own.some(({ type }) => type === 'combinator') ? own : [{ type: 'pseudo-class', kind: 'where', selectors: [own] }],
  ]
}

/** Whether the selector names an element of the page that a part of the kit replaces. */
function isPage(component: SelectorComponent): boolean {
  if (component.type === 'pseudo-class') return component.kind === 'root'
  if (component.type === 'id') return component.name === 'page'
  return component.type === 'type' && ['html', 'body'].includes(component.name)
}
