import type { operations } from '../../../generated/openapi.ts'

export type OverviewData = operations['readOverview']['responses'][200]['content']['application/json']['result']
