import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { markPointer } from '../app/mark-pointer.ts'
import { ChatContext } from '../state/chat.ts'
import type { ParleyProviderProps } from './types.ts'

export const ThemeContext = createContext<ParleyProviderProps['theme']>('auto')

interface PartProps {
  is: 'rooms' | 'conversation' | 'thread' | 'composer' | 'overlay'
  children: ComponentChildren
}

/** The root element of a kit component, to which its styles are scoped. Empty until there is a chat. */
export function Part({ is, children }: PartProps) {
  const chat = useContext(ChatContext)
  const theme = useContext(ThemeContext)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => (root.current ? markPointer(root.current) : undefined), [])
  return (
    <div
      ref={root}
      class={`root is-${is}`}
      lang={chat?.lang}
      dir={chat?.direction}
      data-theme={theme === 'auto' ? undefined : theme}
      aria-busy={!chat && is !== 'overlay' ? true : undefined}
    >
      {chat && children}
    </div>
  )
}
