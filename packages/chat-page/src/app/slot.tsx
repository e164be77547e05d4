import type { ComponentChildren, ComponentType } from 'preact'
import type { SlotProps } from '../kit/types.ts'
import { useChat } from '../state/chat.ts'

interface SlotParts<Name extends keyof SlotProps> {
  of: Name
  about: SlotProps[Name]
  /** The default content. */
  children: ComponentChildren
}

/** A part that an app can replace. */
export function Slot<Name extends keyof SlotProps>({ of, about, children }: SlotParts<Name>) {
  const Own = useChat().slots[of] as ComponentType<object> | undefined
  return Own ? <Own {...about}>{children}</Own> : <>{children}</>
}
