import { Group, Kbd, Stack, Text } from '@mantine/core'
import { Dialog } from '../components/confirm.tsx'
import { useTexts } from '../texts/texts.ts'
import { views } from './navigation.ts'
import { shellTexts } from './texts.ts'

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(shellTexts)
  const rows: [keys: string[], meaning: string][] = [
    [['/'], t.keySearch],
    [['Ctrl', 'K'], t.keyGo],
    ...views.map(({ key, name }): [string[], string] => [['g', key], t.keyView(t[name])]),
    [['?'], t.keyHelp],
  ]
  return (
    <Dialog title={t.shortcuts} onClose={onClose}>
      <Stack gap="xs">
        {rows.map(([keys, meaning]) => (
          <Group key={meaning} justify="space-between">
            <Text size="sm">{meaning}</Text>
            <Group gap={4}>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Dialog>
  )
}
