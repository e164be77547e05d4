import { useParams } from '@tanstack/react-router'

/** The app of the address, if it has one. */
export function useAppOfAddress(): string | undefined {
  return useParams({ strict: false }).app
}
