import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * A mutation that a form or button starts. Ignores calls while it runs: the button is disabled a render later, which is
 * too late for a double click.
 */
export function useSubmit<Data>(options: UseMutationOptions<Data>): UseMutationResult<Data, Error, void> {
  const isRunning = useRef(false)
  const mutation = useMutation<Data>({
    ...options,
    onSettled: (...outcome) => {
      isRunning.current = false
      return options.onSettled?.(...outcome)
    },
  })
  return {
    ...mutation,
    mutate: (_, callbacks) => {
      if (isRunning.current) return
      isRunning.current = true
      mutation.mutate(undefined, callbacks)
    },
  }
}
