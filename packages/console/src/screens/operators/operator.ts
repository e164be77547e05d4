import type { components } from '../../../generated/openapi.ts'

export type Operator = components['schemas']['Operator']
