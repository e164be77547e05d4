import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** A full-page message, when there is nothing else to show. */
export function FullPage({
  title,
  hint,
  action,
  children,
}: {
  title: string
  hint: string
  action?: { name: string; act: () => void }
  children?: ComponentChildren
}) {
  return (
    <main class="full-page">
      <Icon name="bubble" />
      <h1>{title}</h1>
      <p>{hint}</p>
      {action && <Button class="button primary" onClick={action.act} label={action.name} />}
      {children}
    </main>
  )
}
