import { createContext, use } from 'react'
import type { Api } from '../../../api.ts'

/** API calls that carry the operator's reason for reading. */
export const ReadingContext = createContext<Api | undefined>(undefined)

export function useReadingApi(): Api {
  const api = use(ReadingContext)
  if (!api) throw new Error('no reason here')
  return api
}
