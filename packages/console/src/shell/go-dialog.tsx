import { Combobox, Text, TextInput, useCombobox } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../components/confirm.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { visible } from '../components/shown.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.ts'
import { useSwitchApp } from './app-of-address.ts'
import { viewsFor } from './navigation.ts'
import { shellTexts } from './texts.ts'

const mostApps = 8

interface Target {
  key: string
  icon: IconName
  text: string
  go: () => void
}

/** Goes to a view, another app, or users and rooms by ID or name. */
export function GoDialog({ app, onClose }: { app: string | undefined; onClose: () => void }) {
  const t = useTexts(shellTexts)
  const [typed, setTyped] = useState('')
  const targets = useTargets(app, typed.trim())
  // The first Escape closes the list, which is all of the dialog.
  const combobox = useCombobox({ defaultOpened: true, onDropdownClose: onClose })
  return (
    <Dialog title={t.go} onClose={onClose}>
      <Combobox
        store={combobox}
        withinPortal={false}
        onOptionSubmit={(key) => {
          onClose()
          targets.find((target) => target.key === key)?.go()
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label={t.go}
            placeholder={t.goHint}
            value={typed}
            leftSection={<Icon name="search" size={16} />}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              combobox.updateSelectedOptionIndex()
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options mt="sm" aria-label={t.go}>
          {targets.map(({ key, icon, text }) => (
            <Combobox.Option key={key} value={key} className="go-option">
              <Icon name={icon} size={16} />
              <Text size="sm" truncate>
                {text}
              </Text>
            </Combobox.Option>
          ))}
          {targets.length === 0 && <Combobox.Empty>{t.nothingFound}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  )
}

function useTargets(app: string | undefined, typed: string): Target[] {
  const t = useTexts(shellTexts)
  const { session } = useSession()
  const navigate = useNavigate()
  const switchApp = useSwitchApp()
  const wanted = typed.toLowerCase()
  const ofApp =
    app === undefined
      ? []
      : viewsFor(session, app).map(({ name, to, icon }) => ({
          key: name,
          icon,
          text: t[name],
          go: () => void navigate({ to, params: { app } }),
        }))
  const byText: Target[] =
    app === undefined || typed === ''
      ? []
      : [
          {
            key: ' user',
            icon: 'user',
            text: t.openUser(visible(typed)),
            go: () => void navigate({ to: '/apps/$app/users/$user', params: { app, user: typed } }),
          },
          {
            key: ' room',
            icon: 'rooms',
            text: t.openRoom(visible(typed)),
            go: () => void navigate({ to: '/apps/$app/rooms/$room', params: { app, room: typed } }),
          },
          {
            key: ' users',
            icon: 'search',
            text: t.findUsers(visible(typed)),
            go: () => void navigate({ to: '/apps/$app/users', params: { app }, search: { q: typed } }),
          },
          {
            key: ' rooms',
            icon: 'search',
            text: t.findRooms(visible(typed)),
            go: () => void navigate({ to: '/apps/$app/rooms', params: { app }, search: { q: typed } }),
          },
        ]
  const apps = session.apps
    .filter((each) => each.app !== app && each.app.toLowerCase().includes(wanted))
    .slice(0, mostApps)
    .map(
      (each): Target => ({
        key: `app ${each.app}`,
        icon: 'apps',
        text: t.switchApp(each.app),
        go: () => switchApp(each.app),
      }),
    )
  return [...ofApp.filter(({ text }) => text.toLowerCase().includes(wanted)), ...byText, ...apps]
}
