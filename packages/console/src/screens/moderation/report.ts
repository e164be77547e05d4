import type { components } from '../../../generated/openapi.ts'

export type Report = components['schemas']['Report']
