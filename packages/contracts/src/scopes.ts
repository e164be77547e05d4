/** Areas of the API, each with a read and a write scope (docs/reference/keys.md). */
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

/** `all`: every scope, including those of later releases. `platform`: the interface's permission, not part of `all`. */
export type KeyScope = Scope | 'all' | 'platform'

/** Whether a scope belongs to an area. */
export function isOwnScope(scope: KeyScope): scope is Scope {
  return scope !== 'all' && scope !== 'platform'
}

export const keyScopes: readonly [KeyScope, ...KeyScope[]] = ['all', 'platform', ...scopes]
