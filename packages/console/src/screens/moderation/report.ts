import type { components } from '../../../generated/openapi.ts'

export type Report = components['schemas']['Report']

/** The text of each decision. */
export const decidedTexts = { dismiss: 'gotDismiss', delete: 'gotDelete', ban: 'gotBan', erase: 'gotErase' } as const
