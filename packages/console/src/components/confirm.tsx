import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { submitProps, textProps } from './field-props.ts'
import { Icon } from './icon.tsx'
import { visible } from './shown.tsx'
import { Failure, useFailureText } from './states.tsx'
import { useSubmit } from './use-submit.ts'

export interface ConfirmProps {
  title: string
  /** Label of the confirm button. */
  action: string
  /** Called after success, and on cancel. */
  onClose: () => void
  /** Performs the action. The dialog shows a failure. */
  run: () => Promise<unknown>
  /** Notification after success. */
  done?: string
  isDangerous?: boolean
  /** A name that must be typed to enable the button. */
  typed?: string
  isReady?: boolean
  children?: ReactNode
}

/** A dialog that describes an action, collects its input, and performs it. */
export function Confirm({
  title,
  action,
  onClose,
  run,
  done,
  isDangerous = false,
  typed,
  isReady = true,
  children,
}: ConfirmProps) {
  const t = useTexts(commonTexts)
  const [name, setName] = useState('')
  const failureText = useFailureText()
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  // The operator may close the dialog while the action runs, and open another.
  const running = useSubmit({
    mutationFn: run,
    onSuccess: () => {
      if (done !== undefined) say(done)
      if (isShown.current) onClose()
    },
    onError: (error) => {
      if (!isShown.current) sayFailure(failureText(error))
    },
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form {...submitProps(() => running.mutate())}>
        <Stack gap="md">
          {children}
          {typed !== undefined && (
            <TextInput label={t.typeToConfirm(visible(typed))} autoComplete="off" {...textProps(name, setName)} />
          )}
          {running.isError && <Failure error={running.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
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

/** A modal dialog. It does not lock scrolling, since the CSP forbids the styles that this needs. */
export function Dialog({
  title,
  onClose,
  size = 'md',
  isOnce = false,
  children,
}: {
  title: string
  onClose: () => void
  size?: string
  /** Its content is shown once, so a click beside it does not close it. */
  isOnce?: boolean
  children: ReactNode
}) {
  const t = useTexts(commonTexts)
  useReturnedFocus()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      lockScroll={false}
      closeOnClickOutside={!isOnce}
      closeButtonProps={{ 'aria-label': t.close }}
      transitionProps={{ duration: 0 }}
    >
      {children}
    </Modal>
  )
}

/** A warning about an action's effect. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" icon={<Icon name="warning" />}>
      <Text size="sm">{children}</Text>
    </Alert>
  )
}

/** Notifies of a success for some seconds. */
export function say(message: string): void {
  // No close button, since its label would have to be translated here. The notification closes by itself.
  notifications.show({ message, color: 'teal', withCloseButton: false, icon: <Icon name="check" size={16} /> })
}

/** Notifies of a failure for some seconds. */
export function sayFailure(message: string): void {
  notifications.show({ message, color: 'red', icon: <Icon name="warning" size={16} />, autoClose: 10_000 })
}

/** The element that opened the latest dialog. */
let opener: HTMLElement | undefined

/** Focuses the element that opened a dialog once it closes. Mantine does so only for dialogs that stay mounted. */
function useReturnedFocus(): void {
  const [from] = useState(() => (opener = openerOf(document.activeElement)))
  useEffect(
    () => () => {
      // The one that follows it keeps the focus.
      if (!document.querySelector('[role=dialog]')) from?.focus()
    },
    [from],
  )
}

/** The focused element; of a menu, its button; of a dialog that opens another, its own opener. */
function openerOf(focused: Element | null): HTMLElement | undefined {
  if (focused?.closest('[role=dialog]')) return opener
  const menu = focused?.closest('[role=menu]')
  const from = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
  return from instanceof HTMLElement ? from : undefined
}
