import type { operations } from '../../../generated/openapi.ts'

export type Member =
  operations['inspectMembers']['responses'][200]['content']['application/json']['result']['data'][number]
