import type { IconName } from '../../components/icon.tsx'
import type { Entry } from './entry.ts'

/** Every kind of entry in display order, with its icon. */
export const kindIcons: Record<Entry['kind'], IconName> = {
  message: 'send',
  delivery: 'next',
  push: 'device',
  call: 'webhook',
  connection: 'apps',
  refusal: 'close',
  read: 'check',
  membership: 'users',
  token: 'key',
  ban: 'ban',
  report: 'flag',
  audit: 'shield',
}

export const kinds = Object.keys(kindIcons) as Entry['kind'][]
