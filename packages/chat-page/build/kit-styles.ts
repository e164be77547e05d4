import { bundle, type Selector, type SelectorComponent } from 'lightningcss'

const prefix = 'parley-'
const root = 'parley-root'
/** Set by message-menu.tsx, whose element they belong to. */
const ownProperties: ReadonlySet<string> = new Set(['--menu-top', '--menu-left'])

/**
 * The page's styles for a kit inside of other pages: classes, custom properties and animations have a prefix, and each selector
 * is bound to a part of the kit, by which it weighs more than an app's styles of elements. The tokens weigh nothing: an app's
 * `.parley-root` wins.
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

/** Classes with the prefix, also in `:is()` and its like. */
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

/** The elements of the page, in whose place a part of the kit stands. */
function isPage(component: SelectorComponent): boolean {
  if (component.type === 'pseudo-class') return component.kind === 'root'
  if (component.type === 'id') return component.name === 'page'
  return component.type === 'type' && ['html', 'body'].includes(component.name)
}
