import { Button, type ButtonProps } from '@mantine/core'
import { sayFailure } from './confirm.tsx'
import { useFailureText } from './states.tsx'
import { useSubmit } from './use-submit.ts'

/** A button that performs an action, shows that it runs, and notifies of a failure. */
export function RunButton({
  label,
  run,
  ...props
}: { label: string; run: () => Promise<unknown> } & Omit<ButtonProps, 'children' | 'leftSection'>) {
  const failureText = useFailureText()
  const running = useSubmit({ mutationFn: run, onError: (error) => sayFailure(failureText(error)) })
  return (
    <Button variant="default" loading={running.isPending} onClick={() => running.mutate()} {...props}>
      {label}
    </Button>
  )
}
