import type { components } from '../../../generated/openapi.ts'

export type Entry = components['schemas']['TimelineEntry']
