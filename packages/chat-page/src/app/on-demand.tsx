import type { ComponentType, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'

/** A view whose code loads when it is first shown. If that fails, it shows a notice and closes. */
export function onDemand<P extends { onClose: () => void }>(
  load: () => Promise<ComponentType<P>>,
): FunctionComponent<P> {
  let loaded: ComponentType<P> | undefined
  return function OnDemand(props: P) {
    const { attempt } = useChat()
    const [, setLoaded] = useState(loaded !== undefined)
    useEffect(() => {
      if (loaded) return
      const fetch = async () => {
        loaded = await load()
        setLoaded(true)
      }
      void attempt(fetch).then((isLoaded) => isLoaded || props.onClose())
    }, [])
    const View = loaded
    return View ? <View {...props} /> : null
  }
}
