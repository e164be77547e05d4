/** The areas that API keys reach (docs/reference/keys.md). */
const areas = [
  'users',
  'rooms',
  'messages',
  'moderation',
  'push',
  'config',
  'webhooks',
  'stats',
  'export',
  'keys',
] as const

export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}`

export const scopes: readonly Scope[] = areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const)

/** `all`: every scope, also those of later releases. `platform`: the permission of the interface, which `all` leaves out. */
export type KeyScope = Scope | 'all' | 'platform'

/** Whether a scope is that of an area. */
export function isOwnScope(scope: KeyScope): scope is Scope {
  return scope !== 'all' && scope !== 'platform'
}

export const keyScopes: readonly [KeyScope, ...KeyScope[]] = ['all', 'platform', ...scopes]
