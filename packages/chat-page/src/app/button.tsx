import type { ComponentProps } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Props = { label: string; class?: string | undefined } & Omit<
  ComponentProps<'button'>,
  'label' | 'class' | 'icon' | 'children'
>

/** A button with a text, and an icon before it if given. */
export function Button({ label, icon, ...props }: Props & { icon?: IconName | undefined }) {
  return (
    <button type="button" {...props}>
      {icon && <Icon name={icon} />}
      {label}
    </button>
  )
}

/** A button with an icon only. Screen readers read the label. */
export function IconButton({ label, icon, class: more, ...props }: Props & { icon: IconName }) {
  return (
    <button
      type="button"
      class={more === undefined ? 'icon-button' : `icon-button ${more}`}
      aria-label={label}
      {...props}
    >
      <Icon name={icon} />
    </button>
  )
}
