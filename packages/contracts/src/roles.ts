import { z } from 'zod'
import type { KeyScope } from './scopes.ts'

/** Operator roles, in order of rights except for `developer` (docs/reference/console.md#roles). */
export const roles = ['viewer', 'support', 'moderator', 'developer', 'owner'] as const
export const role = z.enum(roles)
export type Role = z.infer<typeof role>

const viewer: readonly KeyScope[] = ['users:read', 'rooms:read', 'push:read', 'stats:read', 'platform']
const support: readonly KeyScope[] = [...viewer, 'messages:read', 'moderation:read']

/** The scopes that a role grants in its app. */
export const scopesOfRole: Record<Role, readonly KeyScope[]> = {
  viewer,
  support,
  moderator: [...support, 'moderation:write', 'messages:write', 'rooms:write'],
  developer: [
    ...viewer,
    ...(['config', 'webhooks', 'export', 'keys'] as const).flatMap(
      (area) => [`${area}:read`, `${area}:write`] as const,
    ),
    'push:write',
    'stats:write',
  ],
  owner: ['all', 'platform'],
}
