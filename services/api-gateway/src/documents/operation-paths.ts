import type { Operation } from '@parley/contracts/operation'
import { allOperations } from '@parley/contracts/operations/all'

const patterns = [...Map.groupBy(allOperations, ({ path }) => path)].map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replace(/\/$/, '').replaceAll(/:\w+/g, '[^/]+')}/?$`),
  operations,
}))

/** The operations at a URL's path, of any method: for errors before the request has a route. */
export function operationsAt(url: string): Operation[] {
  const path = pathOf(url)
  return patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ operations }) => operations)
}

/** The path of a URL, which may be absolute (RFC 9112, section 3.2.2). */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
}
