import { createContext, createElement, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { type Client, type ClientOptions, createClient } from '../index.ts'
import { createUploads, type Uploads, type UploadsOptions } from '../uploads/index.ts'

interface Provided {
  client: Client
  uploads: Uploads
}

const ParleyContext = createContext<Provided | undefined>(undefined)

/** Your own client, or options for one that lives as long as the component. A new `id` replaces it. */
export type ParleyProviderProps = ({ client: Client } | { options: ClientOptions; id: string }) & {
  /** Storage in which uploads survive a reload: sessionStorage. */
  uploads?: UploadsOptions
  children?: ReactNode
}

/** Provides the client to the hooks below. Renders its children once there is one. */
export function ParleyProvider(props: ParleyProviderProps): ReactNode {
  const made = useMade('client' in props ? undefined : props.options, 'client' in props ? undefined : props.id)
  const client = 'client' in props ? props.client : made
  return client && createElement(WithUploads, { client, options: props.uploads }, props.children)
}

interface WithUploadsProps {
  client: Client
  options: UploadsOptions | undefined
  children?: ReactNode
}

function WithUploads({ client, options, children }: WithUploadsProps): ReactNode {
  const uploads = useMemo(() => createUploads(client, options), [client])
  const value = useMemo(() => ({ client, uploads }), [client, uploads])
  return createElement(ParleyContext.Provider, { value }, children)
}

function useMade(options: ClientOptions | undefined, id: string | undefined): Client | undefined {
  const [client, setClient] = useState<Client>()
  // oxlint-disable-next-line exhaustive-deps -- options are a new object on each render; `id` identifies them
  useEffect(() => {
    if (!options) return undefined
    const created = createClient(options)
    setClient(created)
    return () => {
      setClient(undefined)
      created.close()
    }
  }, [id])
  return client
}

/** @throws outside a ParleyProvider */
export function useProvided(): Provided {
  const provided = useContext(ParleyContext)
  if (!provided) throw new Error('hooks of @parley/client/react must be used inside a <ParleyProvider>')
  return provided
}
