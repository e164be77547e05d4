import type { Client } from '@parley/client'
import { ParleyProvider as ClientProvider, useClient } from '@parley/client/react'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Notice } from '../app/notice.tsx'
import { ShownPersonCard } from '../app/shown-person-card.tsx'
import { ChatContext, useStore } from '../state/chat.ts'
import { plainConfig, readChatConfig } from '../state/chat-config.ts'
import { type ChatParts, createChat } from '../state/create-chat.ts'
import { createValue } from '../state/value.ts'
import { whenKnown } from '../state/when.ts'
import { createSpoken, type SpokenStore } from '../texts/spoken.ts'
import { Part, ThemeContext } from './part.tsx'
import type { ParleyProviderProps, Slots } from './types.ts'

/** Provides the client and the state that components share. */
export function KitProvider(props: ParleyProviderProps) {
  const { children, ...rest } = props
  const given = 'client' in props ? { client: props.client } : { options: props.options, id: props.id }
  return (
    <ClientProvider {...given}>
      <WithChat {...rest}>{children}</WithChat>
    </ClientProvider>
  )
}

const none: Slots = {}

function WithChat({
  lang,
  texts,
  theme = 'auto',
  imageOrigins,
  slots = none,
  onOpenRoom,
  children,
}: ParleyProviderProps) {
  const client = useClient()
  const [spoken] = useState(createSpoken)
  const onOpen = useRef(onOpenRoom)
  onOpen.current = onOpenRoom
  const parts = useParts(client, spoken, (room) => onOpen.current?.(room))
  useEffect(() => void spoken.speak(lang), [spoken, lang])
  useEffect(() => spoken.setTextsOfPage(texts), [spoken, texts])
  const now = useStore(spoken)
  const mayOpen = onOpenRoom !== undefined
  const chat = useMemo(() => {
    if (!parts) return undefined
    const origins = [...parts.imageOrigins, ...(imageOrigins ?? [])]
    return { ...parts, ...now, slots, imageOrigins: origins, openRoom: mayOpen ? parts.openRoom : undefined }
  }, [parts, now, slots, imageOrigins, mayOpen])
  return (
    <ThemeContext.Provider value={theme}>
      <ChatContext.Provider value={chat}>
        {children}
        <Part is="overlay">
          <ShownPersonCard />
          <Notice />
        </Part>
      </ChatContext.Provider>
    </ThemeContext.Provider>
  )
}

/** Undefined on a server and before the first effect. Created in an effect, which StrictMode runs twice. */
function useParts(client: Client, spoken: SpokenStore, openRoom: (roomID: string) => void): ChatParts | undefined {
  const [parts, setParts] = useState<ChatParts>()
  useEffect(() => {
    let isCurrent = true
    const config = createValue(plainConfig)
    const texts = () => spoken.get().texts
    const imageOrigins = [location.origin]
    const { close, ...made } = createChat({ client, texts, config, imageOrigins, openRoom, slots: none, isPart: true })
    const takeConfig = async () => {
      await whenKnown(client)
      const read = await readChatConfig(client, () => isCurrent)
      if (!isCurrent) return
      config.set(read)
      spoken.setTextsOfApp(read.texts)
    }
    setParts(made)
    void takeConfig()
    return () => {
      isCurrent = false
      setParts(undefined)
      close()
    }
  }, [client, spoken])
  return parts
}
