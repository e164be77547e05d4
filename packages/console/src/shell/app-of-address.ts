import { useParams } from '@tanstack/react-router'

/** The app in the URL, if any. */
export function useAppOfAddress(): string | undefined {
  return useParams({ strict: false }).app
}
