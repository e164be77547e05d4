import { Text, type TextProps } from '@mantine/core'
import type { HTMLAttributes, ReactNode } from 'react'

/** A hint, or other text of less importance. */
export function Dimmed({
  children,
  ...props
}: TextProps & Pick<HTMLAttributes<HTMLElement>, 'title' | 'role'> & { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" {...props}>
      {children}
    </Text>
  )
}
