import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** A view with its title, which is also the browser tab's, and its actions. */
export function Page({
  title,
  name,
  actions,
  above,
  children,
}: {
  /** Title of the browser tab. */
  title: string
  /** Shown instead of the title, such as a user's name with badges. */
  name?: ReactNode
  actions?: ReactNode
  above?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Parley`
  }, [title])
  return (
    <div className="page">
      {above}
      <Group justify="space-between" align="flex-start" gap="sm" className="page-head">
        <Title order={1} size="h2" className="page-title">
          {name ?? title}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </div>
  )
}

/** A section of a view with a heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </section>
  )
}

export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  )
}
