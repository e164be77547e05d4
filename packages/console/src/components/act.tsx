import { Button, type ButtonProps } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { MouseEventHandler } from 'react'
import { type Operation, useApp } from '../session/session.tsx'
import { Icon, type IconName } from './icon.tsx'

/** A button for an operation, hidden from operators whose role may not call it. */
export function Act({
  operation,
  icon,
  label,
  onClick,
  ...props
}: {
  operation: Operation
  icon?: IconName
  label: string
  onClick: MouseEventHandler
} & Omit<ButtonProps, 'children' | 'leftSection'>) {
  const { may } = useApp()
  if (!may(operation)) return null
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={icon && <Icon name={icon} size={16} />}
      onClick={onClick}
      {...props}
    >
      {label}
    </Button>
  )
}

/** Returns a function that refetches the app's data after a change. */
export function useChanged(): () => Promise<void> {
  const queries = useQueryClient()
  const { app } = useApp()
  return () => queries.invalidateQueries({ queryKey: [app] })
}
