import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'
import { visible } from './shown.tsx'
import { Failure } from './states.tsx'

export interface ConfirmProps {
  title: string
  /** The button that does it. */
  action: string
  /** Called when it is done, or not to be done. */
  onClose: () => void
  /** In place of onClose when it is not to be done. */
  onCancel?: () => void
  /** Does it; a failure is shown in the dialog. */
  run: () => Promise<unknown>
  /** Said when it is done. */
  done?: string
  isDangerous?: boolean
  /** The name to type before the button works. */
  typed?: string
  isReady?: boolean
  children?: ReactNode
}

/** A dialog that says what will happen, takes what it needs, and does it. */
export function Confirm({
  title,
  action,
  onClose,
  onCancel = onClose,
  run,
  done,
  isDangerous = false,
  typed,
  isReady = true,
  children,
}: ConfirmProps) {
  const t = useTexts(commonTexts)
  const [name, setName] = useState('')
  const running = useMutation({
    mutationFn: run,
    onSuccess: () => {
      if (done !== undefined) say(done)
      onClose()
    },
  })
  return (
    <Dialog title={title} onClose={onCancel}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          running.mutate()
        }}
      >
        <Stack gap="md">
          {children}
          {typed !== undefined && (
            <TextInput
              label={t.typeToConfirm(visible(typed))}
              value={name}
              autoComplete="off"
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          {running.isError && <Failure error={running.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onCancel}>
              {t.cancel}
            </Button>
            <Button
              type="submit"
              {...(isDangerous && { color: 'red' })}
              loading={running.isPending}
              disabled={!isReady || (typed !== undefined && name !== visible(typed))}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** A dialog over the view. The policy of the page allows no styles that scripts write, so it does not lock scrolling. */
export function Dialog({
  title,
  onClose,
  size = 'md',
  children,
}: {
  title: string
  onClose: () => void
  size?: string
  children: ReactNode
}) {
  const t = useTexts(commonTexts)
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t.close }}
      transitionProps={{ duration: 0 }}
    >
      {children}
    </Modal>
  )
}

/** A warning of what an action does. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" icon={<Icon name="warning" />}>
      <Text size="sm">{children}</Text>
    </Alert>
  )
}

/** Says for some seconds that something is done. */
export function say(message: string): void {
  // It goes by itself: a button to close it would need a name in the reader's language.
  notifications.show({ message, color: 'teal', withCloseButton: false, icon: <Icon name="check" size={16} /> })
}

/** Says for some seconds that something failed. */
export function sayFailure(message: string): void {
  notifications.show({ message, color: 'red', icon: <Icon name="warning" size={16} />, autoClose: 10_000 })
}
