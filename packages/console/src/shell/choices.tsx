import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from '@mantine/core'
import { Icon } from '../components/icon.tsx'
import { type Language, languages, useLanguage, useTexts } from '../texts/texts.ts'
import { useSetLanguage } from './language.tsx'
import { shellTexts } from './texts.ts'

const themes = ['auto', 'light', 'dark'] as const

export function LanguageMenu() {
  const t = useTexts(shellTexts)
  const language = useLanguage()
  const setLanguage = useSetLanguage()
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t.language}>
          <ActionIcon variant="subtle" color="gray" aria-label={t.language}>
            <Icon name="language" />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(languages) as Language[]).map((each) => (
          <Menu.Item
            key={each}
            lang={each}
            onClick={() => setLanguage(each)}
            rightSection={each === language && <Icon name="check" size={14} />}
          >
            {languages[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

export function ThemeMenu() {
  const t = useTexts(shellTexts)
  // Otherwise Mantine writes a style element, which the CSP blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t.theme}>
          <ActionIcon variant="subtle" color="gray" aria-label={t.theme}>
            <Icon name="theme" />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {themes.map((theme) => (
          <Menu.Item
            key={theme}
            onClick={() => setColorScheme(theme)}
            rightSection={theme === colorScheme && <Icon name="check" size={14} />}
          >
            {t[theme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
