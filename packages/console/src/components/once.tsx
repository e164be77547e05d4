import { Alert, Button, Group, Stack, Textarea } from '@mantine/core'
import { createContext, type ReactNode, use, useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { Dialog } from './confirm.tsx'
import { Icon } from './icon.tsx'
import { Copy } from './shown.tsx'

/** A text that the server tells only once, such as a token. */
interface Secret {
  title: string
  hint: string
  label: string
  value: string
}

const OnceContext = createContext<((secret: Secret) => void) | undefined>(undefined)

/**
 * Returns a function that shows a secret above any view: the operator may have left the one that asked for it.
 */
export function useShowOnce(): (secret: Secret) => void {
  const show = use(OnceContext)
  if (!show) throw new Error('no shell here')
  return show
}

/** Shows secrets one after the other. */
export function OnceProvider({ children }: { children: ReactNode }) {
  const [secrets, setSecrets] = useState<readonly Secret[]>([])
  const [add] = useState(() => (secret: Secret) => setSecrets((now) => [...now, secret]))
  const [shown] = secrets
  return (
    <OnceContext value={add}>
      {children}
      {shown && <OnceDialog key={shown.value} secret={shown} onClose={() => setSecrets((now) => now.slice(1))} />}
    </OnceContext>
  )
}

function OnceDialog({ secret: { title, hint, label, value }, onClose }: { secret: Secret; onClose: () => void }) {
  const t = useTexts(commonTexts)
  return (
    <Dialog title={title} onClose={onClose} isOnce>
      <Stack gap="md">
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {hint}
        </Alert>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <Textarea className="grow" label={label} value={value} readOnly autosize />
          <Copy text={value} />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
